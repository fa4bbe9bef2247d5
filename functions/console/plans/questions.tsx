import type { PlannedTask } from '../answers.ts';
import { showPercent } from '../format.ts';
import { Button } from '../ui/parts.tsx';

interface Props {
  readonly draft: PlannedTask;
  readonly isPlan: boolean;
  onEdit(nodes: PlannedTask['nodes']): void;
}

/** The steps of a task, and the questions it leaves open. */
export const Questions = ({ draft, isPlan, onEdit }: Props) => (
  <section class="card" aria-labelledby="read-as">
    <h2 id="read-as">Read as {draft.steps.length === 1 ? 'one step' : `${draft.steps.length} steps`}</h2>
    <ol class="read-steps">
      {draft.steps.map(({ id, text, tool, confidence }) => (
        <li key={id}>
          {text} <span class="muted">→</span> <code>{tool}</code>{' '}
          <span class="small muted">{showPercent(confidence)} sure</span>
        </li>
      ))}
    </ol>
    {draft.missing.map(({ node, parameter, question }) => (
      <p key={`${node} ${parameter}`} class="caution warn">
        {node}: {question}
      </p>
    ))}
    {!isPlan && (
      <div class="row">
        <Button onClick={() => onEdit(draft.nodes)}>Fill it in as a plan</Button>
        <span class="small muted">Or say it in the task and make the plan again.</span>
      </div>
    )}
    {isPlan && !draft.ready && (
      <p class="caution warn">Some steps were hard to read: look at the plan before you run it.</p>
    )}
  </section>
);
