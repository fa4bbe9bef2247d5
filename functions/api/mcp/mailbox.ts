import type { JSONRPCResponse } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Assay } from '../../../shared/assay.ts';
import { sha256 } from '../../../shared/kernel/canonical-json.ts';
import { onceKey } from '../../../shared/kernel/item-keys.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import { put, read, stored } from '../../../shared/kernel/stored.ts';
import type { Actor } from '../../../shared/model/key.ts';

/** A client's answer to a request of ours, stored for the process that asked. */
export const ClientAnswerItem = stored({
  what: 'answer of an MCP client',
  schema: z.object({ answer: z.custom<JSONRPCResponse>(isObject) }),
});

const LOOK_MS = 1000;
const RETENTION_SECONDS = 600;

/** Delivers clients' answers to the calls that asked, in this process or, through the table, in another. */
export interface Mailbox {
  /** Waits for the answer to a request; the returned function stops waiting. */
  wait(actor: Actor, id: string, receive: (answer: JSONRPCResponse) => void): () => void;
  deliver(actor: Actor, answer: JSONRPCResponse): Promise<void>;
}

export const createMailbox = ({ table, clock, log }: Assay): Mailbox => {
  const waiting = new Map<string, (answer: JSONRPCResponse) => void>();
  return {
    wait(actor, id, receive) {
      const place = mailboxName(actor, id);
      const key = onceKey(actor.tenant, place);
      const stop = (): void => {
        clearInterval(timer);
        waiting.delete(place);
      };
      const take = (answer: JSONRPCResponse): void => {
        if (!waiting.has(place)) return;
        stop();
        receive(answer);
      };
      const timer = setInterval(() => {
        table
          .get(key)
          .then((item) => item && take(read(item, ClientAnswerItem).answer))
          .catch((thrown: unknown) => log.warn('an MCP answer could not be read', { error: String(thrown) }));
      }, LOOK_MS);
      waiting.set(place, take);
      return stop;
    },
    async deliver(actor, answer) {
      const place = mailboxName(actor, String(answer.id));
      const take = waiting.get(place);
      if (take) return take(answer);
      const expires = Math.floor(clock.now() / 1000) + RETENTION_SECONDS;
      await table.write([put(onceKey(actor.tenant, place), ClientAnswerItem, { answer }, expires)]);
    },
  };
};

// Derived from the key, so that only the key that was asked can answer.
const mailboxName = ({ tenant, keyId }: Actor, id: string): string => sha256(`mcp answer\n${tenant}\n${keyId}\n${id}`);
