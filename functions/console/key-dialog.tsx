import { useClient } from './context.ts';
import type { Asked, Keyring } from './keyring.ts';
import { Dialog } from './ui/dialog.tsx';
import { Notice } from './ui/notice.tsx';
import { Button, Field } from './ui/parts.tsx';
import { useAction } from './use-load.ts';
import { useState } from './use-state.ts';

interface Props {
  readonly keyring: Keyring;
  readonly asked: Asked;
}

/** Asks for the API key in a dialog over the current page, so that nothing on it is lost. */
export const KeyDialog = ({ keyring, asked }: Props) => {
  const client = useClient();
  const [key, setKey] = useState('');
  const open = useAction(async () => {
    await client.check(key.trim());
    keyring.accept(key.trim());
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void open.run();
  };
  return (
    <Dialog title={asked.why === undefined ? 'Welcome to Assay' : 'Another key is needed'}>
      <p>
        {asked.why === undefined
          ? 'Give an API key to begin. The server printed one when it first started.'
          : `The server no longer takes this key: ${asked.why}. What you entered is still here.`}
      </p>
      <form class="stack" onSubmit={submit}>
        <Field label="API key" hint="Kept in this tab only, and forgotten when you close it.">
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={key}
            onInput={(event) => setKey((event.target as HTMLInputElement).value)}
          />
        </Field>
        <Notice fault={open.fault} />
        <Button kind="primary" type="submit" isBusy={open.isBusy}>
          Open the console
        </Button>
      </form>
      <details class="small">
        <summary>I have no key</summary>
        <p>
          Make one where the server runs: <code>npx assay keys create --scopes admin</code>
        </p>
      </details>
    </Dialog>
  );
};
