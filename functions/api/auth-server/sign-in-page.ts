import { html } from 'hono/html';
import type { PendingSignIn, TokenScope } from '../../../shared/access/auth-server.ts';
import { formPage } from '../form-page.ts';

export const SIGN_IN = 'Connect to Assay';

const MEANING: Readonly<Record<TokenScope, string>> = {
  read: 'see the tools, plans and records that the key sees',
  invoke: 'call tools, within the key’s quota and rate',
  write: 'register and change tools',
};

/** The page on which a person allows an application to use a key. */
export const signInPage = (pending: PendingSignIn, problem?: string): Response =>
  formPage(
    { title: SIGN_IN, leadsTo: pending.redirectUri },
    html`<p>
        <strong>${pending.clientName ?? 'An application'}</strong> asks to use this server.
        ${
          pending.isPublished
            ? html`It is published by <code>${new URL(pending.clientId).host}</code>.`
            : html`It registered itself: its name is not verified.`
        }
        You go back to <code>${describeTarget(pending.redirectUri)}</code>.
      </p>
      ${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
      <form method="post" autocomplete="off">
        <fieldset>
          <legend>It may</legend>
          ${pending.scopes.map(
            (scope) =>
              html`<label><input type="checkbox" name="scope" value="${scope}" checked /> ${scope}: ${MEANING[scope]}</label>`,
          )}
        </fieldset>
        <label for="key">Your key</label>
        <input id="key" name="key" type="password" required autofocus spellcheck="false" />
        <p class="small">
          The application never sees the key. It gets tokens of five minutes that can do no more than the key, end with
          it, and can neither approve calls nor administer anything.
        </p>
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny" formnovalidate>Refuse</button>
      </form>`,
  );

const describeTarget = (uri: string): string => {
  const { host, protocol } = new URL(uri);
  return host === '' ? protocol : host;
};
