import type { Plan, PlannedTask, PlanRequest } from '../answers.ts';
import { useClient } from '../context.ts';
import { ApiFault } from '../fault.ts';
import { goTo } from '../route.ts';
import { Notice } from '../ui/notice.tsx';
import { Button, type Choice, Field, Tabs } from '../ui/parts.tsx';
import { useEffect } from '../use-effect.ts';
import { useKept } from '../use-kept.ts';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';
import example from './example.json' with { type: 'json' };
import { PlanView } from './plan-view.tsx';
import { Questions } from './questions.tsx';
import { RunHistory } from './run-history.tsx';

type Way = 'task' | 'plan';
const WAYS: readonly Choice<Way>[] = [
  { value: 'task', label: 'Describe a task' },
  { value: 'plan', label: 'Paste a plan' },
];

interface Made {
  readonly plan?: Plan | undefined;
  readonly draft?: PlannedTask | undefined;
  /** The run being watched. */
  readonly run?: string | undefined;
}

/** Turns a task or a plan into a diagram that can be run and watched. The URL has the run's id. */
export const PlansPage = ({ run: asked }: { readonly run: string }) => {
  const client = useClient();
  const [way, setWay] = useKept<Way>('plans.way', 'task');
  const [task, setTask] = useKept('plans.task', '');
  const [text, setText] = useKept('plans.text', '');
  const [{ plan, draft, run }, setMade] = useKept<Made>('plans.made', {});
  const [standing, setStanding] = useState('');
  const follow = useAction(async (id: string) => {
    const { plan_id } = await client.run(id);
    setMade({ plan: plan?.plan_id === plan_id ? plan : await client.plan(plan_id), run: id });
  });
  useEffect(() => {
    if (asked !== '' && asked !== run) void follow.run(asked);
  }, [asked]);
  const make = useAction(async (source: Way, given: string) => {
    const made = await client.makePlan(source === 'plan' ? (parsePlan(given) as PlanRequest) : { task: given });
    setMade({ plan: 'plan_id' in made ? made : undefined, draft: 'steps' in made ? made : undefined });
    follow.clear();
    goTo('plans', { instead: true });
  });
  const started = (id: string): void => {
    setMade({ plan, draft, run: id });
    goTo(`plans/${id}`);
  };
  const retried = (part: Plan, id: string): void => {
    setMade({ plan: part, run: id });
    goTo(`plans/${id}`);
  };
  const takeExample = (): void => {
    const shown = JSON.stringify(example, null, 2);
    setWay('plan');
    setText(shown);
    void make.run('plan', shown);
  };
  const edit = (nodes: PlannedTask['nodes']): void => {
    setWay('plan');
    setText(JSON.stringify({ nodes }, null, 2));
  };
  const given = way === 'task' ? task : text;
  const submit = (event: Event): void => {
    event.preventDefault();
    void make.run(way, given);
  };
  const type = (event: Event): void =>
    (way === 'task' ? setTask : setText)((event.target as HTMLTextAreaElement).value);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Plans</h1>
        <p class="lead">Several tools in one run: what can go side by side does, and you watch it happen.</p>
      </div>
      <form class="card" onSubmit={submit}>
        <Tabs<Way> label="Where the plan comes from" choices={WAYS} chosen={way} onChoose={setWay} />
        <Field label={way === 'task' ? 'Task' : 'Plan as JSON'}>
          <textarea
            key={way}
            class={way === 'task' ? '' : 'mono'}
            rows={way === 'task' ? 2 : 10}
            spellcheck={way === 'task'}
            placeholder={PLACEHOLDERS[way]}
            value={given}
            onInput={type}
          />
        </Field>
        <div class="row between">
          <Button onClick={takeExample}>Show an example plan</Button>
          <Button kind="primary" type="submit" disabled={given.trim() === ''} isBusy={make.isBusy}>
            Make the plan
          </Button>
        </div>
      </form>
      <Notice fault={make.fault} onRetry={() => void make.run(way, given)} />
      <Notice fault={follow.fault} onRetry={() => void follow.run(asked)} />
      {draft && <Questions draft={draft} isPlan={plan !== undefined} onEdit={edit} />}
      {plan && (
        <PlanView
          key={plan.plan_id}
          plan={plan}
          runId={run}
          onStarted={started}
          onRetried={retried}
          onStanding={setStanding}
        />
      )}
      <RunHistory current={`${run} ${standing}`} />
    </div>
  );
};

const PLACEHOLDERS: Readonly<Record<Way, string>> = {
  task: 'convert 12 km to miles, then count the words of "a report on distances"',
  plan: '{"nodes": [{"id": "a", "tool": "unit_convert", "arguments": {…}}]}',
};

const parsePlan = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiFault('InvalidInput', `the plan is not JSON: ${(cause as Error).message}`);
  }
};
