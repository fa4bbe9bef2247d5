import * as z from 'zod';
import { parseBy } from './body.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { ApiContext } from './env.ts';
import { PageQuery } from './schemas.ts';

export interface PageAsked {
  readonly limit: number;
  readonly after?: string;
}

/** Where a list is to begin; a cursor holds only for the list and query it came from. */
export const readPage = (c: ApiContext, list: string): PageAsked => {
  const { limit, cursor } = parseBy(PageQuery, c.req.query(), 'the query');
  return cursor === undefined ? { limit } : { limit, after: readCursor(cursor, list) };
};

/** What an answer says about the next page, if there is one. */
export const nextPage = (next: string | undefined, list: string): { readonly next_cursor?: string } =>
  next === undefined ? {} : { next_cursor: writeCursor(next, list) };

/** The schema of a page of things. */
export const pageOf = (name: string, item: z.ZodType) =>
  z.object({ [name]: z.array(item), next_cursor: z.string().optional() });
