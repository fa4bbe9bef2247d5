import * as z from 'zod';
import { readCursor, writeCursor } from '../../shared/registry/lookup/cursor.ts';

export interface PageAsked {
  readonly limit: number;
  readonly after?: string;
}

/** Where a list is to begin; a cursor holds only for the list and query it came from. */
export const pageAfter = (
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  list: string,
): PageAsked => ({ limit, after: cursor === undefined ? undefined : readCursor(cursor, list) });

/** What an answer says about the next page, if there is one. */
export const nextPage = (next: string | undefined, list: string): { readonly next_cursor?: string } => ({
  next_cursor: next === undefined ? undefined : writeCursor(next, list),
});

/** The schema of a page of things. */
export const pageSchema = <const Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next_cursor: z.string().optional() } as {
    [Key in Name]: z.ZodArray<Item>;
  } & { next_cursor: z.ZodOptional<z.ZodString> });
