import type { Decision, Registration } from '../answers.ts';
import { showPercent } from '../format.ts';
import { RunForm } from '../schema/run-form.tsx';
import { Badge, Meter } from '../ui/parts.tsx';

interface Props {
  readonly decision: Decision;
  readonly tools: readonly Registration[];
  onOther(name: string): void;
}

/** The chosen tool, with arguments to correct and run, and the alternatives. */
export const Chosen = ({ decision, tools, onOther }: Props) => {
  const tool = tools.find(({ spec }) => spec.name === decision.tool);
  const questions = new Map(
    [...decision.missing, ...decision.doubts].map(({ parameter, question }) => [parameter, question]),
  );
  return (
    <div class="stack wide-gap">
      <section class="card" aria-label="The choice">
        <div class="row between">
          <h2>{tool ? <a href={`#/tools/${tool.spec.name}`}>{tool.spec.name}</a> : 'No tool fits well enough'}</h2>
          {decision.ready && <Badge tone="good">ready to run</Badge>}
          {tool && !decision.ready && <Badge tone="warn">needs your help</Badge>}
        </div>
        <p class="muted">{decision.reason}</p>
        {questions.size > 0 && (
          <p class="caution warn">
            {questions.size === 1 ? 'One question' : `${questions.size} questions`} before it runs: answer below, then
            run it.
          </p>
        )}
        {decision.notes.map((note) => (
          <p key={note} class="small muted">
            {note}
          </p>
        ))}
        {tool ? (
          <RunForm
            key={`${tool.id} ${JSON.stringify(decision.arguments)}`}
            tool={tool}
            initial={decision.arguments}
            questions={questions}
          />
        ) : (
          <p class="small">Say it in other words, or take one of the nearest below.</p>
        )}
      </section>
      {decision.alternatives.length > 0 && (
        <section class="card" aria-labelledby="others">
          <h2 id="others">Also considered</h2>
          <ul class="others">
            {likeliestFirst(decision.alternatives).map(({ tool: name, confidence, reasons }) => (
              <li key={name} class="other">
                <div class="row between">
                  <code>{name}</code>
                  <button type="button" class="button small" onClick={() => onOther(name)}>
                    Use this one
                  </button>
                </div>
                <div class="sure">
                  <Meter share={confidence} label={`Confidence ${showPercent(confidence)}`} />
                  <span class="tiny muted">{showPercent(confidence)}</span>
                </div>
                <p class="small muted">{reasons.join(' · ')}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
};

const likeliestFirst = (alternatives: Decision['alternatives']): Decision['alternatives'] =>
  alternatives.toSorted((a, b) => b.confidence - a.confidence);
