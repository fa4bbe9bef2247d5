import { SdkHttpError } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { lazily } from '../../kernel/lazily.ts';
import type { CallContext } from '../../kernel/ports.ts';
import type { Connect, Connected } from './connect.ts';

/** A connection to an upstream, with its calls in progress. */
export interface Connection extends Connected {
  readonly calls: Set<CallContext>;
}

export interface Connections {
  /** Runs work on a caller's connection; if the upstream has dropped the session, a new one is opened once. */
  use<T>(caller: CallContext | undefined, work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const MAX_CALLERS = 16;

/**
 * One connection shared by all callers, and one for each key whose client supports elicitation: a question of the
 * upstream must reach only the person whose call caused it.
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

/** A server of an earlier protocol answers 404 for an unknown session, without running anything. */
const isForgotten = (error: unknown): boolean => error instanceof SdkHttpError && error.status === 404;

/** Passes a question on to the only call in progress; with several calls its cause is unknown. */
const askCaller = async (calls: ReadonlySet<CallContext>, params: Readonly<Record<string, unknown>>) => {
  const [only] = calls;
  if (calls.size !== 1 || !only?.client?.request) return { action: 'cancel' as const };
  return (await only.client.request('elicitation/create', params)) as { action: 'accept' | 'decline' | 'cancel' };
};
