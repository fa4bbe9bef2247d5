import { render } from 'hono/jsx/dom';
import { App } from './app.tsx';
import { createClient } from './client.ts';
import { ClientContext } from './context.ts';
import { createKeyring, takeKeyFromAddress } from './keyring.ts';

const keyring = createKeyring(sessionStorage);
takeKeyFromAddress(keyring);

const root = document.getElementById('app');
if (root)
  render(
    <ClientContext.Provider value={createClient(keyring)}>
      <App keyring={keyring} />
    </ClientContext.Provider>,
    root,
  );
