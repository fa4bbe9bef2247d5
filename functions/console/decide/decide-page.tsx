import type { Decision } from '../answers.ts';
import { useClient } from '../context.ts';
import { Notice } from '../ui/notice.tsx';
import { Button, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction, useLoad } from '../use-load.ts';
import { Candidates } from './candidates.tsx';
import { Chosen } from './chosen.tsx';
import { Steps } from './steps.tsx';

const EXAMPLES = [
  'convert 5 miles to kilometres',
  'how many words are in "the quick brown fox jumps"?',
  'what weekday is 90 days after 2026-03-01?',
  'compare two photos and tell how much detail was lost',
];

/** Turns a request in words into a tool call, in five explained steps. */
export const DecidePage = () => {
  const client = useClient();
  const tools = useLoad(() => client.tools({ limit: '1000' }), []);
  const [task, setTask] = useKept('decide.task', '');
  const [candidates, setCandidates] = useKept<readonly string[]>('decide.candidates', []);
  const [decision, setDecision] = useKept<Decision | undefined>('decide.decision', undefined);
  const decide = useAction(async (text: string, among: readonly string[]) =>
    setDecision(await client.decide(text, among.length === 0 ? undefined : among)),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    if (task.trim() !== '') void decide.run(task, candidates);
  };
  const tryExample = (text: string): void => {
    setTask(text);
    void decide.run(text, candidates);
  };
  const narrow = (names: readonly string[]): void => {
    setCandidates(names);
    if (decision) void decide.run(task, names);
  };
  return (
    <div class="page">
      <div class="page-head">
        <h1>Which tool fits?</h1>
        <p class="lead">
          Say what you want. Five steps choose a tool and its arguments; nothing runs until you say so.
        </p>
      </div>
      <form class="card" onSubmit={submit}>
        <Field label="Request">
          <textarea
            rows={2}
            placeholder="convert 5 miles to kilometres"
            value={task}
            onInput={(event: Event) => setTask((event.target as HTMLTextAreaElement).value)}
          />
        </Field>
        <div class="row between">
          <div class="chips">
            {EXAMPLES.map((example) => (
              <button key={example} type="button" class="chip button-chip" onClick={() => tryExample(example)}>
                {example}
              </button>
            ))}
          </div>
          <Button kind="primary" type="submit" disabled={task.trim() === ''} isBusy={decide.isBusy}>
            Decide
          </Button>
        </div>
        <Candidates tools={tools.value?.tools ?? []} chosen={candidates} onChoose={narrow} />
      </form>
      <Notice fault={decide.fault ?? tools.fault} onRetry={() => void decide.run(task, candidates)} />
      {decision && (
        <div class={decide.isBusy ? 'columns stale' : 'columns'} aria-live="polite">
          <Steps steps={decision.steps} />
          <Chosen decision={decision} tools={tools.value?.tools ?? []} onOther={(name) => narrow([name])} />
        </div>
      )}
    </div>
  );
};
