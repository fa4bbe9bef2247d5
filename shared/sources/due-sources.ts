import { SOURCES_PK } from '../kernel/item-keys.ts';
import { readAll } from '../kernel/stored.ts';
import { SourceDueItem } from '../model/source.ts';
import type { SourcesContext } from './context.ts';
import { refreshQuietly } from './refresh.ts';

const SIDE_BY_SIDE = 4;

/**
 * Refreshes every source of every tenant that is due, a few at a time; one that another process refreshes is skipped.
 */
export const refreshDue = async (context: SourcesContext): Promise<number> => {
  const now = context.clock.now();
  const { items } = await context.table.query(SOURCES_PK);
  const due = readAll(items, SourceDueItem, context.log).filter((entry) => entry.due <= now);
  const waiting = due.values();
  const work = async (): Promise<void> => {
    for (const { tenant, name } of waiting) await refreshQuietly(context, tenant, name);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return due.length;
};
