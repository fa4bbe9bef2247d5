import type { Registration } from '../answers.ts';
import { Button } from '../ui/parts.tsx';

interface Props {
  readonly tools: readonly Registration[];
  readonly chosen: readonly string[];
  onChoose(names: readonly string[]): void;
}

/** Which tools may be chosen; none ticked means all. */
export const Candidates = ({ tools, chosen, onChoose }: Props) => {
  const toggle = (name: string): void =>
    onChoose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <details class="choice">
      <summary>
        Candidates: <strong>{chosen.length === 0 ? `all ${tools.length} tools` : chosen.join(', ')}</strong>
      </summary>
      <div class="chips">
        {tools.map(({ spec: { name } }) => (
          <label key={name} class="chip">
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
            {name}
          </label>
        ))}
      </div>
      {chosen.length > 0 && <Button onClick={() => onChoose([])}>Choose among all again</Button>}
    </details>
  );
};
