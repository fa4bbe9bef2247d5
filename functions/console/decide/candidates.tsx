import type { Registration } from '../answers.ts';
import { Button, Chips } from '../ui/parts.tsx';

interface Props {
  readonly tools: readonly Registration[];
  readonly chosen: readonly string[];
  onChoose(names: readonly string[]): void;
}

/** Limits the tools to choose from; none ticked means all. */
export const Candidates = ({ tools, chosen, onChoose }: Props) => (
  <details class="choice">
    <summary>
      Candidates: <strong>{chosen.length === 0 ? `all ${tools.length} tools` : chosen.join(', ')}</strong>
    </summary>
    <Chips
      choices={tools.map(({ spec: { name } }) => ({ value: name, label: name }))}
      chosen={chosen}
      onChoose={onChoose}
    />
    {chosen.length > 0 && <Button onClick={() => onChoose([])}>Choose among all again</Button>}
  </details>
);
