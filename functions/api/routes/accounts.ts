import { randomBytes } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import * as z from 'zod';
import { isPrincipal } from '../../../shared/access/token-actor.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { connectAccount, disconnectAccount, refreshConnected } from '../../../shared/sources/account-verbs.ts';
import type { AccountLink, Accounts } from '../../../shared/sources/accounts.ts';
import { CLIENT_DOCUMENT_PATH, clientDocument } from '../../../shared/sources/discover-client.ts';
import { readText } from '../body-bytes.ts';
import type { Api, ApiContext } from '../env.ts';
import { formPage, messagePage } from '../form-page.ts';
import { publicOrigin } from '../oauth-challenge.ts';
import { type Body, done, reply, route } from '../route.ts';

const tag = 'Sources';
const TITLE = 'Connect an account';
const ENDED = 'This link has expired or was used. Call the tool again for a new one.';
const COOKIE = 'assay_connect';
const SourceParam = z.object({ name: z.string().meta({ description: 'The source, by its name.' }) });

const AccountBody = z
  .object({
    connected: z.boolean(),
    url: z.string().optional().meta({ description: 'To be opened by the owner of the account.' }),
    expires_at: z.string().optional(),
  })
  .meta({ id: 'SourceAccount' });

const connect = route({
  method: 'post',
  path: '/v1/sources/:name/account',
  scope: 'invoke',
  summary: 'Get the link to connect the caller’s own account at a source that needs one',
  tag,
  params: SourceParam,
  answers: { 200: { description: 'Connected already, or the link', schema: AccountBody } },
  faults: ['InvalidInput', 'NotFound'],
  async handle({ api, actor, params, context }) {
    const view = await connectAccount(api, actor, params.name);
    if (view.connected) return reply(200, { connected: true });
    const { path, expires_at } = view;
    return reply(200, { connected: false, url: originOf(api, context) + path, expires_at });
  },
});

const disconnect = route({
  method: 'delete',
  path: '/v1/sources/:name/account',
  scope: 'invoke',
  summary: 'Delete and revoke the tokens of the caller’s account at a source',
  tag,
  params: SourceParam,
  answers: { 204: { description: 'Deleted, or did not exist' } },
  faults: ['InvalidInput', 'NotFound'],
  async handle({ api, actor, params }) {
    await disconnectAccount(api, actor, params.name);
    return done;
  },
});

const page = { answers: { 200: { description: 'A page', schema: z.string(), type: 'text/html' } }, tag } as const;
const TicketParam = z.object({ ticket: z.string().min(1).max(128) });

const callback = route({
  method: 'get',
  path: '/v1/connected',
  scope: 'public',
  summary: 'The OAuth callback of a source’s authorization server',
  query: z.object({
    state: z.string().max(256).optional(),
    code: z.string().max(4096).optional(),
    iss: z.string().max(2048).optional(),
  }),
  ...page,
  async handle({ api, query: { state, code, iss }, context: c }) {
    const { accounts } = api.sources;
    const browser = getCookie(c, COOKIE);
    if (!accounts || state === undefined || browser === undefined) return messagePage(TITLE, 400, ENDED);
    if (code === undefined) return messagePage(TITLE, 400, 'The account was not connected.');
    try {
      const link = await accounts.finish(state, browser, { code, issuer: iss }, callbackUrl(api, c));
      await refreshConnected(api, link);
      return formPage(
        { title: TITLE },
        html`<p>Connected. You can close this page and go on: tools of <strong>${link.source}</strong> now use your account.</p>`,
      );
    } catch (thrown) {
      if (thrown instanceof Fault) return messagePage(TITLE, 400, `${thrown.message}.`);
      throw thrown;
    }
  },
});

const show = route({
  method: 'get',
  path: '/v1/connect/:ticket',
  scope: 'public',
  summary: 'The page to connect an account, by its link',
  params: TicketParam,
  ...page,
  async handle({ api, params: { ticket } }) {
    const link = await api.sources.accounts?.findLink(ticket);
    return link ? connectPage(link) : messagePage(TITLE, 400, ENDED);
  },
});

/** The form of the page. */
const KeyForm: Body<{ form?: { key?: string } }, string> = {
  schema: z.object({ key: z.string().optional().describe('The key that the link was made for.') }),
  type: 'application/x-www-form-urlencoded',
  isOptional: true,
  read: async (c) => new URLSearchParams(await readText(c, 16_000)).get('key') ?? '',
};

const goOn = route({
  method: 'post',
  path: '/v1/connect/:ticket',
  scope: 'public',
  summary: 'Continue to the source’s authorization server',
  params: TicketParam,
  body: KeyForm,
  ...page,
  async handle({ api, params: { ticket }, body: key, context: c }) {
    const { accounts } = api.sources;
    const link = await accounts?.findLink(ticket);
    if (!accounts || !link) return messagePage(TITLE, 400, ENDED);
    const problem = await whyNotOwner(api, link, key);
    if (problem !== undefined) return connectPage(link, problem);
    try {
      return await redirect(api, accounts, ticket, c);
    } catch (thrown) {
      if (thrown instanceof Fault) return messagePage(TITLE, 400, `${thrown.message}.`);
      throw thrown;
    }
  },
});

const ClientBody = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    client_uri: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.string(),
  })
  .meta({ id: 'OauthClient' });

const client = route({
  method: 'get',
  path: CLIENT_DOCUMENT_PATH,
  scope: 'public',
  summary: 'This server’s OAuth client metadata, for the authorization servers of sources',
  tag,
  answers: { 200: { description: 'The client’s metadata document', schema: ClientBody } },
  handle: ({ api, context: c }) =>
    reply(200, { client_id: originOf(api, c) + CLIENT_DOCUMENT_PATH, ...clientDocument(callbackUrl(api, c)) }),
});

const redirect = async (api: Api, accounts: Accounts, ticket: string, c: ApiContext): Promise<Response> => {
  const browser = randomBytes(24).toString('base64url');
  const location = await accounts.authorize(ticket, browser, callbackUrl(api, c));
  const secure = callbackUrl(api, c).startsWith('https:');
  setCookie(c, COOKIE, browser, { httpOnly: true, sameSite: 'Lax', path: '/v1', maxAge: 600, secure });
  // Not a redirect of the form, which browsers restrict to the form-action policy.
  return c.html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${TITLE}</title><meta http-equiv="refresh" content="0;url=${escapeText(location)}"></head><body><a href="${escapeText(location)}">Go on</a></body></html>`,
    200,
    {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  );
};

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * Whoever opens a link must show the key it was made for; otherwise somebody who sends a link could have another
 * person's account connected to their own key. Principals of access tokens have no key, so they are only warned.
 */
const whyNotOwner = async ({ authenticate }: Api, { key }: AccountLink, given: string): Promise<string | undefined> => {
  if (isPrincipal(key)) return undefined;
  try {
    const actor = await authenticate(given.trim());
    if (actor.keyId === key) return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
  }
  return 'This is not the key that the link was made for.';
};

const connectPage = ({ source, url, key }: AccountLink, problem?: string): Response =>
  formPage(
    { title: TITLE },
    html`<p>
        The key <code>${key}</code> asks to use <strong>your</strong> account at
        <code>${new URL(url).host}</code> through the source <strong>${source}</strong>. Go on only if you started this:
        whoever holds the key can then act there as you.
      </p>
      ${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
      <form method="post" autocomplete="off">
        ${
          isPrincipal(key)
            ? ''
            : html`<label for="key">That key</label><input id="key" name="key" type="password" required autofocus spellcheck="false" />`
        }
        <button>Go on to ${new URL(url).host}</button>
      </form>`,
  );

const originOf = ({ oauth }: Api, c: ApiContext): string => publicOrigin(c.req.url, oauth ?? {});
const callbackUrl = (api: Api, c: ApiContext): string => `${originOf(api, c)}/v1/connected`;

/** Callers' own accounts at sources. */
export const accountRoutes = [connect, disconnect, callback, show, goOn, client] as const;
