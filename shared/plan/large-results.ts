import { LRUCache } from 'lru-cache';
import { createLines } from '../kernel/in-line.ts';
import type { Blobs } from '../kernel/ports.ts';
import type { NodeTurns } from './node-turns.ts';
import { parseResult, readResult } from './run-store.ts';

/** Reads a result that is stored by reference. */
export type ReadResult = (tenant: string, ref: string) => Promise<unknown>;

/** The size of the results kept for other nodes, as texts. */
const KEPT_BYTES = 32 * 1024 * 1024;

/**
 * Hundreds of nodes may take one result of megabytes, so it is read once, and each parse has a turn of its own. A
 * tenant's results are read one after another: together they could fill the memory.
 */
export const createLargeResults = (store: { readonly blobs: Blobs }, turns: Pick<NodeTurns, 'take'>): ReadResult => {
  const kept = new LRUCache<string, Read>({ maxSize: KEPT_BYTES });
  const inLine = createLines();
  return (tenant, ref) =>
    inLine(tenant, async () => {
      const known = kept.get(ref);
      if (known) return known.value;
      const bytes = await readResult(store, ref);
      await turns.take(tenant);
      const value = parseResult(ref, bytes);
      kept.set(ref, { value }, { size: bytes.length + 1 });
      return value;
    });
};

interface Read {
  readonly value: unknown;
}
