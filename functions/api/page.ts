import * as z from 'zod';
import { readCursor, writeCursor } from '../../shared/registry/lookup/cursor.ts';

export interface PageAsked {
  readonly limit: number;
  readonly after?: string;
}

/** Where a list continues; a cursor is valid only for the list and query it came from. */
export const pageAfter = (
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  list: string,
): PageAsked => ({ limit, after: cursor === undefined ? undefined : readCursor(cursor, list) });

/** The cursor for the next page, if there is one. */
export const nextPage = (next: string | undefined, list: string): { readonly next_cursor?: string } => ({
  next_cursor: next === undefined ? undefined : writeCursor(next, list),
});

/** The schema of a page of items. */
export const pageSchema = <const Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next_cursor: z.string().optional() } as {
    [Key in Name]: z.ZodArray<Item>;
  } & { next_cursor: z.ZodOptional<z.ZodString> });
