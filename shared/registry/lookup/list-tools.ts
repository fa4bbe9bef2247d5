import type { Catalog } from '../catalog.ts';
import { type Answer, type Entry, etagOf } from '../entry.ts';
import type { Filter } from '../filter.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { scopeOf, type ToolsQuery } from './tools-query.ts';

export interface ToolsPage {
  readonly entries: readonly Entry[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: string;
}

/** Where the requested page starts; a cursor of another list is refused. */
export const startOf = (query: ToolsQuery): string | undefined =>
  query.cursor === undefined ? undefined : readCursor(query.cursor, scopeOf(query));

/** The page of a catalogue in name order. */
export const pageByName = (catalog: Catalog, query: ToolsQuery, filter: Filter): ToolsPage => {
  const after = startOf(query);
  return catalog.list({
    filter,
    limit: query.limit,
    includeDisabled: query.include_disabled === 'true',
    after,
  });
};

/** The body of a page, concatenated from its tools' serialised texts. */
export const pageAnswer = ({ entries, next }: ToolsPage, query: ToolsQuery): Answer => {
  const more = next === undefined ? '' : `,"next_cursor":${JSON.stringify(writeCursor(next, scopeOf(query)))}`;
  const body = `{"tools":[${entries.map((entry) => entry.answer.body).join(',')}]${more}}`;
  return { body, etag: etagOf(body) };
};
