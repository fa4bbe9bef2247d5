import { useClient } from '../context.ts';
import { Notice } from '../ui/notice.tsx';
import { Chips, Field } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { useSettled } from '../use-settled.ts';
import { useState } from '../use-state.ts';

interface Props {
  readonly hint: string;
  readonly chosen: readonly string[];
  onChoose(names: readonly string[]): void;
}

const SHOWN = 14;

/** Selects tools: shows the selected ones, and the best matches for the typed text. */
export const ToolPicker = ({ hint, chosen, onChoose }: Props) => {
  const client = useClient();
  const [text, setText] = useState('');
  const asked = useSettled(text.trim(), 150);
  const found = useLoad(() => client.tools({ q: asked, limit: String(SHOWN) }), [asked]);
  const names = new Set([...chosen, ...(found.value?.tools ?? []).map(({ spec }) => spec.name)]);
  return (
    <div class="stack">
      <Field label="Tools" hint={hint}>
        <input
          type="search"
          placeholder="Search: what should they do?"
          value={text}
          onInput={(event: Event) => setText((event.target as HTMLInputElement).value)}
        />
      </Field>
      <Notice fault={found.fault} onRetry={found.reload} />
      <Chips
        choices={[...names].slice(0, chosen.length + SHOWN).map((name) => ({ value: name, label: name }))}
        chosen={chosen}
        onChoose={onChoose}
      />
    </div>
  );
};
