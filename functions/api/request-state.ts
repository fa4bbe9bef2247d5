import type { IncomingMessage } from 'node:http';
import type { OnceOnly } from '../../shared/execute/call.ts';
import type { Remaining } from '../../shared/execute/meter.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { ApiContext } from './env.ts';

/** The state of one request: a plain object, because Hono's variables took longer than finding a tool. */
export interface RequestState {
  readonly requestId: string;
  /** Node's own request, where it came over a socket. */
  readonly incoming: IncomingMessage | undefined;
  /** Undefined on a public route, and before the caller is admitted. */
  actor: Actor | undefined;
  /** Whether the response has the request id already. */
  isIdentified: boolean;
  /** The bytes of the body, once read. */
  sent: Uint8Array<ArrayBuffer> | undefined;
  /** The rest of the key's quota, once a priced call has reserved. */
  remaining: Remaining | undefined;
  /** The call of an Idempotency-Key. */
  once: OnceOnly | undefined;
}

const STATE: unique symbol = Symbol('state');

export interface Stated {
  [STATE]?: RequestState;
}

/** Creates a request's state, before anything reads it. */
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

/** Node's own request, unless the request was replaced by a new one, which has its own headers. */
const incomingOf = ({ env, req }: ApiContext): IncomingMessage | undefined => {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  // Tested in this order, because naming `Request` loads all of fetch.
  return incoming && Object.getPrototypeOf(req.raw) !== Request.prototype ? incoming : undefined;
};

export const stateOf = (c: ApiContext): RequestState => {
  const state = c[STATE];
  if (state === undefined) throw new Error('the request was not begun');
  return state;
};

/** The caller; always present except on public routes. */
export const actorOf = (c: ApiContext): Actor => stateOf(c).actor as Actor;

/** A header. Node has headers by name already, where `Headers` searches all of them each time. */
export const headerOf = (c: ApiContext, name: Lowercase<string>): string | undefined => {
  const { incoming } = stateOf(c);
  return incoming ? (incoming.headers[name] as string | undefined) : c.req.header(name);
};
