import { html } from 'hono/html';
import type { PendingSignIn, TokenScope } from '../../../shared/access/auth-server.ts';

const MEANING: Readonly<Record<TokenScope, string>> = {
  read: 'see the tools, plans and records that the key sees',
  invoke: 'call tools, within the key’s quota and rate',
  write: 'register and change tools',
};

/** The page on which a person lets an application act with a key. */
export const signInPage = (pending: PendingSignIn, problem?: string): Response =>
  page(
    200,
    pending.redirectUri,
    html`<h1>Connect to Assay</h1>
      <p>
        <strong>${pending.clientName ?? 'An application'}</strong> asks to use this server.
        ${
          pending.isPublished
            ? html`It is published by <code>${new URL(pending.clientId).host}</code>.`
            : html`It registered itself: its name is not verified.`
        }
        You go back to <code>${placeOf(pending.redirectUri)}</code>.
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

/** A page that only says something. */
export const messagePage = (status: number, message: string): Response =>
  page(status, undefined, html`<h1>Connect to Assay</h1><p role="alert">${message}</p>`);

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1rem}
label{display:block;margin:.4rem 0}fieldset{border:1px solid #8888;border-radius:6px;margin:1rem 0}
input[type=password]{width:100%;box-sizing:border-box;font:inherit;padding:.5rem}button{font:inherit;padding:.5rem 1.2rem;margin-right:.5rem}
.small{font-size:.85rem}[role=alert]{border-left:4px solid #c33;padding-left:.7rem}code{overflow-wrap:anywhere}`;

const page = (status: number, redirectUri: string | undefined, content: unknown): Response => {
  const body = `<!doctype html>${html`<html lang="en"><head><meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" /><title>Connect to Assay</title></head>
<body><main>${content}</main></body></html>`}`.replace('</title>', `</title><style>${STYLE}</style>`);
  // A browser holds the form to where its answer is redirected as well.
  const targets = redirectUri === undefined ? "'self'" : `'self' ${formTarget(redirectUri)}`;
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    },
  });
};

const formTarget = (uri: string): string => {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
};

const placeOf = (uri: string): string => {
  const { host, protocol } = new URL(uri);
  return host === '' ? protocol : host;
};
