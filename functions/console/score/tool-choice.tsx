import type { IqaTool } from '../answers.ts';
import { Chips } from '../ui/parts.tsx';

interface Props {
  readonly metrics: readonly IqaTool[];
  readonly hasReference: boolean;
  readonly chosen: readonly string[];
  onChoose(tools: readonly string[]): void;
}

/** Selects metrics; none selected means the best three available. */
export const ToolChoice = ({ metrics, hasReference, chosen, onChoose }: Props) => {
  const available = metrics.filter((metric) => metric.available);
  return (
    <details class="choice">
      <summary>
        Metrics: <strong>{chosen.length === 0 ? 'the best three' : chosen.join(', ')}</strong>
      </summary>
      <Chips
        choices={available.map(({ name, title, type }) => ({
          value: name,
          label: name,
          title,
          isDisabled: type === 'FR' && !hasReference,
        }))}
        chosen={chosen}
        onChoose={onChoose}
      />
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
