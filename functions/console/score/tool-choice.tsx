import type { IqaTool } from '../answers.ts';

interface Props {
  readonly metrics: readonly IqaTool[];
  readonly hasReference: boolean;
  readonly chosen: readonly string[];
  onChoose(tools: readonly string[]): void;
}

/** Which metrics judge; none chosen means the best three that can run. */
export const ToolChoice = ({ metrics, hasReference, chosen, onChoose }: Props) => {
  const toggle = (name: string): void =>
    onChoose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  const available = metrics.filter((metric) => metric.available);
  return (
    <details class="choice">
      <summary>
        Metrics: <strong>{chosen.length === 0 ? 'the best three' : chosen.join(', ')}</strong>
      </summary>
      <div class="chips">
        {available.map(({ name, title, type }) => (
          <label key={name} class="chip" title={title}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={type === 'FR' && !hasReference}
              onChange={() => toggle(name)}
            />
            {name}
          </label>
        ))}
      </div>
      <p class="muted small">
        {hasReference
          ? 'Those that compare need the original; the others look at the picture alone.'
          : 'Add the original to choose metrics that compare.'}{' '}
        {metrics.length > available.length &&
          `${metrics.length - available.length} more work once their model file is added.`}
      </p>
    </details>
  );
};
