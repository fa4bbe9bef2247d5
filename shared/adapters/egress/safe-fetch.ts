import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Fault } from '../../kernel/errors.ts';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import { type AllowedPlace, isAllowedPlace } from './allow-list.ts';
import { deadlineOf } from './deadline.ts';
import { isPublicAddress } from './public-address.ts';
import { readAnswer } from './read-answer.ts';
import { type ResolveName, systemNames } from './resolve-name.ts';

export interface SafeFetchOptions {
  /** What may be reached besides public https. */
  readonly allowed: readonly AllowedPlace[];
  /** Ports that public hosts may be reached at. */
  readonly ports?: readonly number[];
  readonly resolve?: ResolveName;
  /** Certificates to trust besides those of Node. */
  readonly ca?: string;
}

const MOST_REDIRECTS = 5;
/** Idle connections are closed before most servers would close them. */
const IDLE_MS = 4000;

/** The only way to reach addresses that callers name: protects against requests to internal services (SSRF). */
export const createSafeFetch = (options: SafeFetchOptions): SafeFetch => {
  const { allowed, ports = [443], resolve = systemNames(), ca } = options;
  const trusted = ca === undefined ? undefined : [...rootCertificates, ca];
  const settings = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 64 };
  // Own agents, because the environment may give the global ones a proxy.
  const [http, https] = [
    new HttpAgent(settings),
    new HttpsAgent({ ...settings, rejectUnauthorized: true, ca: trusted }),
  ];

  const open = (url: URL, request: OutgoingRequest, signal: AbortSignal): Promise<IncomingMessage> => {
    const isAllowed = checkAddress(url, allowed, ports);
    const isSecure = url.protocol === 'https:';
    const connection: RequestOptions = {
      method: request.method,
      headers: request.headers,
      agent: isSecure ? https : http,
      signal,
      // Called once per connection, which then goes to the address that was checked.
      lookup: checkedLookup(resolve, isAllowed),
    };
    return new Promise((settle, fail) => {
      const sent = (isSecure ? httpsRequest : httpRequest)(url, connection, settle);
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server had closed the idle connection, so the request never arrived.
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && isSafe(request.method);
        if (isStale && !signal.aborted) open(url, request, signal).then(settle, fail);
        else fail(toFailure(error, url));
      });
      sent.end(request.body);
    });
  };

  return async (target, init, limits) => {
    let url = parseAddress(target);
    const request = await outgoing(url, init);
    const deadline = deadlineOf(limits, init.signal, url.host);
    let answer: IncomingMessage | undefined;
    try {
      for (let hops = 0; ; hops += 1) {
        answer = await open(url, request, deadline.signal);
        const next = readRedirect(answer, url, request.method, init.redirect);
        if (next === undefined) return await readAnswer(answer, { url, method: request.method, limits, deadline });
        answer.destroy();
        if (hops === MOST_REDIRECTS)
          throw new Fault('Unavailable', `${url.host} redirects more than ${MOST_REDIRECTS} times`);
        url = next;
      }
    } catch (error) {
      // Otherwise the server could keep the connection of an unread response open.
      answer?.destroy();
      deadline.end();
      throw deadline.faultOf(error);
    }
  };
};

const parseAddress = (target: string | URL): URL => {
  const url = URL.parse(String(target));
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Fault('InvalidInput', `${JSON.stringify(String(target).slice(0, 200))} is no https address`);
  if (url.username !== '' || url.password !== '')
    throw new Fault('InvalidInput', `an address must not hold a user or password; give them as a secret`);
  url.hash = '';
  return url;
};

/** Refuses an address that is not allowed, before its name is resolved; returns whether the operator allowed it. */
const checkAddress = (url: URL, allowed: readonly AllowedPlace[], ports: readonly number[]): boolean => {
  if (isAllowedPlace(allowed, url)) return true;
  if (url.protocol !== 'https:') throw refused(url, 'only https is allowed');
  if (!ports.includes(Number(url.port || 443))) throw refused(url, `only port ${ports.join(', ')} is allowed`);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) && !isPublicAddress(literal)) throw refused(url, NOT_PUBLIC);
  return false;
};

const NOT_PUBLIC = 'it does not lead to public addresses alone';

// The message does not reveal internal addresses.
const refused = ({ host }: { readonly host: string }, reason: string): Fault =>
  new Fault(
    'Forbidden',
    `${host} may not be reached: ${reason}; the operator can allow a place by naming it in ASSAY_EGRESS`,
    { host },
  );

const checkedLookup =
  (resolve: ResolveName, isAllowed: boolean): LookupFunction =>
  (host, options, done) => {
    resolve(host, isAllowed)
      .then((addresses) => {
        if (addresses.length === 0) throw new Fault('Unavailable', `${host} has no address`);
        if (!isAllowed && !addresses.every(isPublicAddress)) throw refused({ host }, NOT_PUBLIC);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) done(null, found);
        else done(null, found[0]?.address ?? '', found[0]?.family);
      })
      .catch((error: Error) => done(error, ''));
  };

interface OutgoingRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;
}

/** Headers of the connection, and those that could address another host. */
const OURS = /^(host|connection|keep-alive|transfer-encoding|content-length|te|trailer|upgrade|expect|proxy-.*)$/;

const outgoing = async (url: URL, init: RequestInit): Promise<OutgoingRequest> => {
  const given = new Headers(init.headers);
  for (const name of given.keys())
    if (OURS.test(name)) throw new Fault('InvalidInput', `the header ${name} is set by the connection; leave it out`);
  const isText = typeof init.body === 'string' && !isSafe(init.method ?? 'GET');
  if (isText && !given.has('content-type')) given.set('content-type', 'text/plain;charset=UTF-8');
  // The platform encodes other bodies; nearly every request has a text.
  const request = isText ? undefined : new Request(url, { ...init, signal: null });
  const body = isText
    ? Buffer.from(init.body as string)
    : request?.body
      ? new Uint8Array(await request.arrayBuffer())
      : undefined;
  const headers: Record<string, string> = {
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'assay',
    ...Object.fromEntries(request?.headers ?? given),
  };
  if (body) headers['content-length'] = String(body.byteLength);
  return {
    method: request?.method ?? (init.method ?? 'GET').toUpperCase(),
    headers,
    body,
  };
};

/** The target of a redirect that may be followed; undefined for any other response. */
const readRedirect = (
  { statusCode = 0, headers }: IncomingMessage,
  url: URL,
  method: string,
  mode: RequestInit['redirect'],
): URL | undefined => {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined || mode === 'manual')
    return undefined;
  const next = URL.parse(headers.location, url);
  if (isSafe(method) && mode !== 'error' && next?.origin === url.origin && next.username === '' && next.password === '')
    return next;
  throw new Fault(
    'Forbidden',
    `${url.host} redirects elsewhere (${statusCode}); only GET is redirected, and only within its origin: give the final address`,
    { host: url.host },
  );
};

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

const toFailure = (error: Error & { readonly code?: string }, { host }: URL): Error =>
  error instanceof Fault || error.name === 'AbortError'
    ? error
    : new Fault('Unavailable', `${host} cannot be reached: ${describeError(error)}`, { host }, { cause: error });

const describeError = ({ code, message }: Error & { readonly code?: string }): string => {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'its name is not known';
  if (code === 'ECONNREFUSED') return 'it refuses the connection';
  if (code === 'ECONNRESET') return 'it ended the connection';
  return /CERT|SIGN|SSL|TLS|ISSUER/.test(code ?? '') ? `its certificate is not valid (${code})` : (code ?? message);
};
