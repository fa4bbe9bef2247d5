import type { Step } from '../answers.ts';
import { showPercent } from '../format.ts';
import { Badge, Meter } from '../ui/parts.tsx';

const NAMES: Readonly<Record<Step['step'], readonly [string, string]>> = {
  scenario: ['Scenario', 'What kind of situation is this?'],
  intent: ['Intent', 'What is wanted?'],
  match: ['Match', 'Whose words fit?'],
  evaluate: ['Evaluate', 'Which one does it best?'],
  arguments: ['Arguments', 'What does it need?'],
};

/** The five steps, each with its result, its evidence and the number of remaining candidates. */
export const Steps = ({ steps }: { readonly steps: readonly Step[] }) => (
  <section class="card" aria-label="The steps">
    <ol class="steps">
      {steps.map((step, index) => (
        <li key={step.step} class="step">
          <span class="step-number" aria-hidden="true">
            {index + 1}
          </span>
          <div class="step-body">
            <div class="row between">
              <h2 class="minor">{NAMES[step.step][0]}</h2>
              <span class="small muted">
                {step.candidates.before} → {step.candidates.after} tools
              </span>
            </div>
            <p class="small muted">{NAMES[step.step][1]}</p>
            <p class="step-decided">{decidedText(step.decided)}</p>
            <div class="chips">
              {step.evidence.map((evidence) => (
                <Badge key={evidence}>{evidence}</Badge>
              ))}
              {step.by === 'model' && <Badge tone="accent">by a model</Badge>}
            </div>
            {step.notes?.map((note) => (
              <p key={note} class="small muted">
                {note}
              </p>
            ))}
            <div class="sure">
              <Meter share={step.confidence} label={`Confidence ${showPercent(step.confidence)}`} />
              <span class="tiny muted">{showPercent(step.confidence)} sure</span>
            </div>
          </div>
        </li>
      ))}
    </ol>
  </section>
);

/** A step's result as text: names where it has names. */
const decidedText = (decided: unknown): string => {
  if (decided === null || decided === undefined) return 'nothing stands out';
  if (typeof decided !== 'object') return String(decided);
  if (Array.isArray(decided))
    return decided.length === 0 ? 'nothing stands out' : decided.slice(0, 4).map(decidedText).join(', ');
  const { tool, name, id } = decided as Readonly<Record<string, unknown>>;
  const named = tool ?? name ?? id;
  if (typeof named === 'string') return named;
  const parts = Object.entries(decided).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return parts.length === 0 ? 'no arguments found' : parts.join(', ');
};
