import type { KeyView, Scope } from '../answers.ts';
import { useClient } from '../context.ts';
import { ToolPicker } from '../tools/tool-picker.tsx';
import { Notice } from '../ui/notice.tsx';
import { Button, Chips, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction } from '../use-load.ts';
import { type KeyDraft, NO_KEY, SCOPES, toNewKey } from './key-draft.ts';

interface Props {
  onMade(key: KeyView & { readonly key: string }): void;
}

/** The form for a new key: scopes, tools, quota and expiry. */
export const NewKeyForm = ({ onMade }: Props) => {
  const client = useClient();
  const [draft, setDraft] = useKept('keys.draft', NO_KEY);
  const make = useAction(async () => {
    onMade(await client.makeKey(toNewKey(draft)));
    setDraft(NO_KEY);
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void make.run();
  };
  const set = (name: keyof KeyDraft) => (event: Event) =>
    setDraft({ ...draft, [name]: (event.target as HTMLInputElement).value });
  return (
    <form class="stack wide-gap" novalidate onSubmit={submit}>
      <Field label="Name" hint="Who or what uses it.">
        <input type="text" autocomplete="off" placeholder="nightly pipeline" value={draft.name} onInput={set('name')} />
      </Field>
      <fieldset class="plain stack">
        <legend class="field-label">May</legend>
        <Chips<Scope>
          choices={SCOPES.map(([value, about]) => ({ value, label: `${value}: ${about}` }))}
          chosen={draft.scopes}
          onChoose={(scopes) => setDraft({ ...draft, scopes })}
        />
      </fieldset>
      <div class="key-limits four">
        <Field label="Calls a month" hint="No limit if empty.">
          <input type="text" inputmode="numeric" autocomplete="off" value={draft.calls} onInput={set('calls')} />
        </Field>
        <Field label="Budget a month, in dollars" hint="No limit if empty.">
          <input type="text" inputmode="decimal" autocomplete="off" value={draft.dollars} onInput={set('dollars')} />
        </Field>
        <Field label="Requests a second" hint="The server’s limit if empty; four times as many at once.">
          <input
            type="text"
            inputmode="numeric"
            autocomplete="off"
            value={draft.perSecond ?? ''}
            onInput={set('perSecond')}
          />
        </Field>
        <Field label="Good until" hint="For ever if empty.">
          <input type="date" value={draft.expires} onInput={set('expires')} />
        </Field>
      </div>
      <details class="choice">
        <summary>
          Tools: <strong>{draft.tools.length === 0 ? 'all' : draft.tools.join(', ')}</strong>
        </summary>
        <ToolPicker
          hint="The key sees and runs the ticked ones only; all if none is ticked."
          chosen={draft.tools}
          onChoose={(names) => setDraft({ ...draft, tools: names })}
        />
      </details>
      <Notice fault={make.fault} onRetry={() => void make.run()} />
      <div class="row">
        <Button kind="primary" type="submit" isBusy={make.isBusy} disabled={draft.scopes.length === 0}>
          Make the key
        </Button>
        {draft.scopes.length === 0 && <span class="small muted">Choose at least one thing it may do.</span>}
      </div>
    </form>
  );
};
