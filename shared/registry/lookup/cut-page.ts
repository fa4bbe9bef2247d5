import type { Entry } from '../entry.ts';
import type { ToolsPage } from './list-tools.ts';

/** Larger pages would hold the event loop while they are joined and their digest is computed. */
const PAGE_CHARACTERS = 2 ** 21;

/** The page with as many of its tools as it has room for, one at least; `after` tells where the next one starts then. */
export const cutPage = (page: ToolsPage, after: (taken: readonly Entry[]) => string): ToolsPage => {
  let left = PAGE_CHARACTERS;
  const end = page.entries.findIndex(({ answer }, at) => {
    left -= answer.body.length;
    return left < 0 && at > 0;
  });
  if (end < 0) return page;
  const entries = page.entries.slice(0, end);
  return { entries, next: after(entries) };
};
