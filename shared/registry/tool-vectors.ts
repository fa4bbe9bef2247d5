import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { nextTurn } from '../kernel/end-of-turn.ts';
import { messageOf } from '../kernel/errors.ts';
import { vectorKey, vectorsPk } from '../kernel/item-keys.ts';
import type { Clock, Log, Page, Table } from '../kernel/ports.ts';
import { put, readAll, stored } from '../kernel/stored.ts';
import type { Tool } from '../model/tool.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { encodedText, type SentenceEncoder } from '../search/sentence-encoder.ts';
import { packVector } from '../search/vectors.ts';

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly encoder: SentenceEncoder;
  /** Whether the process is ending: then what is missing is made by the next one. */
  readonly isClosing?: (() => boolean) | undefined;
}

/** Encodes one tenant's tools in the background, or loads their stored vectors, and adds these to its index. */
export interface ToolVectors {
  /** Queues these tools and returns at once. */
  follow(names: Iterable<string>): void;
  /** Resolves when all queued tools are done; for tests. */
  settled(): Promise<void>;
}

/** The vector of a text, by the digest of the text: one byte per dimension. */
const VectorItem = stored({
  what: 'vector of a tool',
  schema: z.object({ digest: z.string(), bytes: z.base64() }),
});

const EXPIRES_SECONDS = 180 * 86_400;
const BATCH = 25;
/** Of so many tools the vectors are read one by one: among those stored may be all that a tenant's tools had in half a year. */
const FEW = 100;
/** Of stored vectors, in one turn of the event loop. */
const PAGE_BYTES = 2 ** 18;

export const createToolVectors =
  ({ table, clock, log, encoder, isClosing = () => false }: Options) =>
  (tenant: string, index: SearchIndex, toolOf: (name: string) => Tool | undefined): ToolVectors => {
    const waiting = new Set<string>();
    let known: Map<string, Int8Array> | undefined;
    let running: Promise<void> | undefined;

    const vectorOf = async (text: string, digest: string, made: Map<string, Int8Array>): Promise<Int8Array> => {
      const kept = known ? known.get(digest) : await readVector(table, tenant, encoder.id, digest, log);
      const found = kept ?? recent.get(digest) ?? packVector(await encoder.encodeTool(text));
      recent.set(digest, found);
      if (kept === undefined) made.set(digest, found);
      known?.set(digest, found);
      return found;
    };
    const storeAll = async (made: Map<string, Int8Array>): Promise<void> => {
      const expires = Math.floor(clock.now() / 1000) + EXPIRES_SECONDS;
      const writes = [...made].map(([digest, vector]) =>
        put(vectorKey(tenant, encoder.id, digest), VectorItem, { digest, bytes: base64Of(vector) }, expires),
      );
      made.clear();
      if (writes.length > 0) await table.write(writes);
    };
    const work = async (): Promise<void> => {
      if (waiting.size > FEW) known = await readStored(table, tenant, encoder.id, log);
      const made = new Map<string, Int8Array>();
      for (const name of waiting) {
        if (isClosing()) return waiting.clear();
        waiting.delete(name);
        const tool = toolOf(name);
        if (tool === undefined) continue;
        const text = encodedText(tool);
        const vector = await vectorOf(text, digestOf(encoder.id, text), made);
        // The tool may have changed meanwhile: then it is queued again, and this vector is outdated.
        if (toolOf(name) === tool) index.vectors.set(name, vector);
        if (made.size >= BATCH) await storeAll(made);
      }
      await storeAll(made);
      // Needed again only when tools change; the index has its own copy.
      known = undefined;
    };
    const start = (): void => {
      running ??= work()
        .catch((thrown) => {
          waiting.clear();
          if (isClosing()) return;
          log.warn('vectors of tools not made; they are ranked without the sentence encoder', {
            tenant,
            reason: messageOf(thrown),
          });
        })
        .finally(() => {
          running = undefined;
          if (waiting.size > 0) start();
        });
    };
    return {
      follow(names) {
        for (const name of names) waiting.add(name);
        if (waiting.size > 0) start();
      },
      async settled() {
        while (running !== undefined) await running;
      },
    };
  };

// Shipped tools have the same text for every tenant.
const recent = new LRUCache<string, Int8Array>({ max: 4000 });

const readStored = async (table: Table, tenant: string, encoder: string, log: Log): Promise<Map<string, Int8Array>> => {
  const found = new Map<string, Int8Array>();
  let after: string | undefined;
  do {
    const page: Page = await table.query(vectorsPk(tenant, encoder), { bytes: PAGE_BYTES, after });
    for (const { digest, bytes } of readAll(page.items, VectorItem, log)) found.set(digest, unpack(bytes));
    after = page.next;
    await nextTurn();
  } while (after !== undefined);
  return found;
};

const readVector = async (
  table: Table,
  tenant: string,
  encoder: string,
  digest: string,
  log: Log,
): Promise<Int8Array | undefined> => {
  const item = await table.get(vectorKey(tenant, encoder, digest));
  const [found] = readAll(item ? [item] : [], VectorItem, log);
  return found && unpack(found.bytes);
};

const unpack = (base64: string): Int8Array => new Int8Array(Buffer.from(base64, 'base64'));

const digestOf = (encoder: string, text: string): string =>
  createHash('sha256').update(`${encoder}\n${text}`).digest('hex');

const base64Of = (vector: Int8Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
