import { SdkHttpError } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { lazily } from '../../kernel/lazily.ts';
import type { CallContext } from '../../kernel/ports.ts';
import type { Connect, Connected } from './connect.ts';

/** A connection to an upstream with the calls under way on it. */
export interface Connection extends Connected {
  readonly calls: Set<CallContext>;
}

export interface Connections {
  /** Does work on the connection of a caller; a session that the upstream has forgotten is opened again, once. */
  use<T>(caller: CallContext | undefined, work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const MAX_CALLERS = 16;

/**
 * One connection that all callers share, and one for each key whose client can be asked questions: a question of the
 * upstream must reach the person whose call made it ask, and nobody else.
 */
export const createConnections = (connect: Connect, changed: () => void): Connections => {
  const open = new LRUCache<string, () => Promise<Connection>>({
    max: MAX_CALLERS,
    dispose: (connection) =>
      void connection()
        .then(({ client }) => client.close())
        .catch(() => {}),
  });
  const opened = (key: string): (() => Promise<Connection>) => {
    const known = open.get(key);
    if (known) return known;
    const made = lazily(async () => {
      const calls = new Set<CallContext>();
      const drop = (): void => void (open.peek(key) === made && open.delete(key));
      try {
        const connected = await connect({
          changed,
          closed: drop,
          ask: (params) => askCaller(calls, params),
        });
        return { ...connected, calls };
      } catch (error) {
        drop();
        throw error;
      }
    });
    open.set(key, made);
    return made;
  };
  return {
    async use(caller, work) {
      const isAsked = caller?.client?.request !== undefined;
      const key = isAsked ? `key ${caller.keyId}` : 'shared';
      const connection = opened(key);
      try {
        return await work(await connection());
      } catch (error) {
        if (!isForgotten(error)) throw error;
        if (open.peek(key) === connection) open.delete(key);
        return work(await opened(key)());
      }
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.allSettled(all.map(async (connection) => (await connection()).client.close()));
    },
  };
};

/** A server of the earlier protocol answers 404 for a session it no longer has: nothing ran. */
const isForgotten = (error: unknown): boolean => error instanceof SdkHttpError && error.status === 404;

/** Passes a question on to the only call under way; where there are several, nobody knows whose it is. */
const askCaller = async (calls: ReadonlySet<CallContext>, params: Readonly<Record<string, unknown>>) => {
  const [only] = calls;
  if (calls.size !== 1 || !only?.client?.request) return { action: 'cancel' as const };
  return (await only.client.request('elicitation/create', params)) as { action: 'accept' | 'decline' | 'cancel' };
};
