import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { OAuthClientMetadata, OAuthClientProvider } from '@modelcontextprotocol/client';
import { createApp } from '../../functions/api/app.ts';
import { authServerRoutes } from '../../functions/api/auth-server/routes.ts';
import { listen } from '../../functions/cli/listen.ts';
import { composeOauth } from '../../functions/compose/oauth.ts';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { createSafeFetch } from '../../shared/adapters/egress/safe-fetch.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { testAssay } from './assay.ts';
import { testAuthority, validCertificate } from './certificates.ts';

export const REDIRECT = 'http://127.0.0.1:9/callback';

/** The product with its own authorization server, listening; clients publish their metadata at `tools.example`. */
export const serveAuthServer = async ({ registers = false } = {}) => {
  const offset = { ms: 0 };
  const { newId } = systemClock();
  const clock = { now: () => Date.now() + offset.ms, newId };
  const table = memoryTable({ now: clock.now });
  const published = await publishClients();
  let address = '';
  const oauth = composeOauth({
    clock,
    fetch: published.fetch,
    own: {
      issuer: () => address,
      table,
      signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      registers,
    },
  });
  const given = await testAssay({ table, clock, oauth, prices: { operations: {}, tools: {}, cached_share: 0.1 } });
  if (!oauth?.authServer) throw new Error('there is no authorization server');
  const app = createApp(given.assay, { routes: authServerRoutes(given.assay, oauth.authServer) });
  const server = await listen(app, '127.0.0.1', 0);
  address = server.address;
  const close = async (): Promise<void> => {
    await server.close();
    await given.assay.close();
    published.close();
  };
  return { ...given, app, address, offset, table, published, close };
};

/** An https server at which clients publish metadata documents. */
const publishClients = async () => {
  const documents = new Map<string, object>();
  const server = createServer(validCertificate, (request, response) => {
    const found = documents.get(request.url ?? '');
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const place = `tools.example:${port}`;
  const resolve = async () => ['127.0.0.1'];
  const fetch = createSafeFetch({ allowed: readAllowList(place), resolve, ca: testAuthority });
  return {
    fetch,
    publish(path: string, fields: object = {}): string {
      const id = `https://${place}${path}`;
      documents.set(path, { client_id: id, client_name: 'Test agent', redirect_uris: [REDIRECT], ...fields });
      return id;
    },
    close: () => server.close(),
  };
};

/** The OAuth state of an SDK client, in memory. */
export const memoryOAuthClient = (clientMetadataUrl?: string, redirect = REDIRECT) => {
  const kept: { url?: URL; verifier?: string; tokens?: object; information?: object; discovery?: object } = {};
  const metadata: OAuthClientMetadata = { client_name: 'Test agent', redirect_uris: [redirect] };
  const provider = {
    redirectUrl: redirect,
    clientMetadata: metadata,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientInformation: () => kept.information,
    saveClientInformation: (information: object) => void Object.assign(kept, { information: information }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => void Object.assign(kept, { tokens: tokens }),
    redirectToAuthorization: (url: URL) => void Object.assign(kept, { url: url }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier: verifier }),
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (state: object) => void Object.assign(kept, { discovery: state }),
    discoveryState: () => kept.discovery,
    state: () => 'state-of-the-test',
  } as unknown as OAuthClientProvider;
  return { provider, kept };
};

/** A browser without scripts: keeps cookies, follows redirects on this machine, and stops at the client's address. */
export const pageFollower = () => {
  const cookies = new Map<string, string>();
  const go = async (url: string, form?: URLSearchParams): Promise<{ url: string; text: string; status: number }> => {
    if (url.startsWith(REDIRECT)) return { url, text: '', status: 0 };
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: form } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next) return go(new URL(next, url).href);
    return { url, text: await response.text(), status: response.status };
  };
  return go;
};
