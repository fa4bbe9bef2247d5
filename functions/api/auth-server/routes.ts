import type { HttpBindings } from '@hono/node-server';
import * as z from 'zod';
import { type AuthServer, TOKEN_SCOPES } from '../../../shared/access/auth-server.ts';
import { grantableScopes } from '../../../shared/access/key-token.ts';
import { SIGN_IN_PATH } from '../../../shared/adapters/oauth/auth-server.ts';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { oauthRegistrationsKey } from '../../../shared/kernel/oauth-keys.ts';
import type { ApiKey } from '../../../shared/model/key.ts';
import { readText } from '../body-bytes.ts';
import type { ApiContext } from '../env.ts';
import { messagePage } from '../form-page.ts';
import { createGuessLimit, type GuessLimit } from '../guess-limit.ts';
import { type AnyRoute, route } from '../route.ts';
import { SIGN_IN, signInPage } from './sign-in-page.ts';

type Context = Pick<Assay, 'authenticate' | 'table' | 'clock'>;

const MAX_BYTES = 64_000;
const HOUR_MS = 3_600_000;
/** How many clients may register themselves within an hour: at this server, and from one address. */
const REGISTRATIONS = 200;
const REGISTRATIONS_OF_ADDRESS = 20;

/**
 * The routes of our own authorization server: those of the protocol, and the sign-in page on which a person enters a
 * key.
 */
export const authServerRoutes = (context: Context, server: AuthServer): readonly AnyRoute[] => {
  const { now } = context.clock;
  const guesses = createGuessLimit({ now, most: 20 });
  const registrations = createGuessLimit({ now, most: REGISTRATIONS_OF_ADDRESS, windowMs: HOUR_MS });
  const pass = async (c: ApiContext): Promise<Response> => {
    if (c.req.path === '/oauth/register' && c.req.method === 'POST') await admitRegistration(context, registrations, c);
    const body = c.req.method === 'POST' ? await readText(c, MAX_BYTES) : '';
    return server.handle(c.req.raw, body);
  };
  return [
    open('all', '/oauth/*', pass),
    open('all', '/.well-known/oauth-authorization-server', pass),
    open('all', '/.well-known/openid-configuration', pass),
    open('get', `${SIGN_IN_PATH}/:id`, (c) => showSignIn(server, c)),
    open('post', `${SIGN_IN_PATH}/:id`, (c) => answerSignIn(context, server, guesses, c)),
  ].sort((a, b) => Number(a.path.includes('*')) - Number(b.path.includes('*')));
};

const open = (
  method: 'all' | 'get' | 'post',
  path: string,
  handle: (c: ApiContext) => Response | Promise<Response>,
): AnyRoute =>
  route({
    method,
    path,
    scope: 'public',
    summary: 'Our own authorization server',
    tag: 'Operation',
    undocumented: true,
    answers: { 200: { description: 'An answer of the OAuth protocol', schema: z.unknown() } },
    handle: ({ context }) => handle(context),
  });

const ENDED = 'This sign-in has expired. Go back to the application and connect again.';

const showSignIn = async (server: AuthServer, c: ApiContext): Promise<Response> => {
  const pending = await server.find(c.req.raw);
  if (!pending) return messagePage(SIGN_IN, 400, ENDED);
  if (pending.scopes.length > 0) return signInPage(pending);
  return server.deny(c.req.raw, 'invalid_scope', `ask for some of ${TOKEN_SCOPES.join(', ')}`);
};

const answerSignIn = async (
  context: Context,
  server: AuthServer,
  guesses: GuessLimit,
  c: ApiContext,
): Promise<Response> => {
  const pending = await server.find(c.req.raw);
  if (!pending) return messagePage(SIGN_IN, 400, ENDED);
  const form = new URLSearchParams(await readText(c, MAX_BYTES));
  if (form.get('answer') !== 'allow') return server.deny(c.req.raw, 'access_denied', 'the person said no');
  const address = addressOf(c);
  const wait = guesses.waitOf(address);
  if (wait > 0) return signInPage(pending, `Too many keys were refused. Try again in ${wait} seconds.`);
  const found = await findLogin(context, form.get('key') ?? '');
  if ('problem' in found) {
    guesses.refused(address);
    return signInPage(pending, found.problem);
  }
  const wanted = new Set(form.getAll('scope'));
  const scopes = grantableScopes(found.key).filter((scope) => wanted.has(scope) && pending.scopes.includes(scope));
  if (scopes.length === 0)
    return signInPage(
      pending,
      `Nothing is left that the application may do: this key has the scopes ${found.key.scopes.join(', ')}.`,
    );
  return server.allow(c.req.raw, { keyId: found.key.id, scopes });
};

/** The stored key of a sign-in. The operator's own key is not stored, so tokens could not be revoked with it. */
const findLogin = async (
  { authenticate }: Context,
  text: string,
): Promise<{ readonly key: ApiKey } | { readonly problem: string }> => {
  try {
    const { key, principal } = await authenticate(text.trim());
    if (key && principal === undefined && key.digest !== '') return { key };
    return { problem: 'This is not a stored key. Make one with `assay keys create` and use that.' };
  } catch (thrown) {
    if (thrown instanceof Fault) return { problem: `${thrown.message}.` };
    throw thrown;
  }
};

const admitRegistration = async ({ table, clock }: Context, addresses: GuessLimit, c: ApiContext): Promise<void> => {
  const address = addressOf(c);
  const wait = addresses.waitOf(address);
  addresses.refused(address);
  const hour = Math.floor(clock.now() / HOUR_MS);
  const expires = ((hour + 2) * HOUR_MS) / 1000;
  const counted =
    wait > 0
      ? undefined
      : await table.count(oauthRegistrationsKey(String(hour)), { clients: 1 }, { clients: REGISTRATIONS }, expires);
  if (!counted)
    throw new Fault('RateLimited', 'too many clients register here; try again later, or publish a metadata document', {
      retry_after_seconds: wait || 600,
    });
};

const addressOf = (c: ApiContext): string =>
  (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress ?? '';
