import type { IncomingMessage } from 'node:http';
import type { OnceOnly } from '../../shared/execute/call.ts';
import type { Remaining } from '../../shared/execute/meter.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { ApiContext } from './env.ts';

/** What the road knows of one request: a plain object, as asking Hono's variables took longer than finding a tool. */
export interface RequestState {
  readonly requestId: string;
  /** What Node has read of the request, where it came over a socket. */
  readonly incoming: IncomingMessage | undefined;
  /** Nobody on a public route, and before the caller is admitted. */
  actor: Actor | undefined;
  /** Whether the response carries the request id already. */
  isIdentified: boolean;
  /** The bytes of the body, once they were read. */
  sent: Uint8Array<ArrayBuffer> | undefined;
  /** What is left of the key's quota, once a priced call has looked. */
  remaining: Remaining | undefined;
  /** The call that an Idempotency-Key stands for. */
  once: OnceOnly | undefined;
}

const STATE: unique symbol = Symbol('state');

export interface Stated {
  [STATE]?: RequestState;
}

/** Begins a request's state, before anything asks for it. */
export const beginState = (c: ApiContext, requestIdOf: (given: string | undefined) => string): RequestState => {
  const incoming = incomingOf(c);
  const given = incoming ? incoming.headers['x-request-id'] : c.req.header('x-request-id');
  const state: RequestState = {
    requestId: requestIdOf(given as string | undefined),
    incoming,
    actor: undefined,
    isIdentified: false,
    sent: undefined,
    remaining: undefined,
    once: undefined,
  };
  c[STATE] = state;
  return state;
};

/** Node's own request, unless what is asked here was made anew from it: that has headers of its own. */
const incomingOf = ({ env, req }: ApiContext): IncomingMessage | undefined => {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  // Only where there is one: to name `Request` loads all of fetch.
  return incoming && Object.getPrototypeOf(req.raw) !== Request.prototype ? incoming : undefined;
};

export const stateOf = (c: ApiContext): RequestState => {
  const state = c[STATE];
  if (state === undefined) throw new Error('the request was not begun');
  return state;
};

/** Who calls; every route but a public one has somebody. */
export const actorOf = (c: ApiContext): Actor => stateOf(c).actor as Actor;

/** A header. Over a socket Node has them by name already, where `Headers` searches all of them for each. */
export const headerOf = (c: ApiContext, name: Lowercase<string>): string | undefined => {
  const { incoming } = stateOf(c);
  return incoming ? (incoming.headers[name] as string | undefined) : c.req.header(name);
};

/** The header with a key. Of two, Node keeps the first: both together are no key that is known, as elsewhere. */
export const authorizationOf = (c: ApiContext): string | undefined => {
  const { incoming } = stateOf(c);
  return incoming === undefined || isTwice(incoming.rawHeaders)
    ? c.req.header('authorization')
    : incoming.headers.authorization;
};

const isTwice = (rawHeaders: readonly string[]): boolean => {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count++;
  }
  return count > 1;
};

const AUTHORIZATION = 'authorization';
