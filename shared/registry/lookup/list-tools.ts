import type { Catalog } from '../catalog.ts';
import { computeEtag, type Entry, type SerializedAnswer } from '../entry.ts';
import type { Filter } from '../filter.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { cursorScope, type ToolsQuery } from './tools-query.ts';

export interface ToolsPage {
  readonly entries: readonly Entry[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: string;
}

/** Where the requested page starts; a cursor of another list is refused. */
export const parsePageStart = (query: ToolsQuery): string | undefined =>
  query.cursor === undefined ? undefined : readCursor(query.cursor, cursorScope(query));

/** The page of a catalogue in name order. */
export const pageByName = (catalog: Catalog, query: ToolsQuery, filter: Filter): ToolsPage => {
  const after = parsePageStart(query);
  return catalog.list({
    filter,
    limit: query.limit,
    includeDisabled: query.include_disabled === 'true',
    after,
  });
};

/** The body of a page, concatenated from its tools' serialised texts. */
export const pageAnswer = ({ entries, next }: ToolsPage, query: ToolsQuery): SerializedAnswer => {
  const more = next === undefined ? '' : `,"next_cursor":${JSON.stringify(writeCursor(next, cursorScope(query)))}`;
  const body = `{"tools":[${entries.map((entry) => entry.answer.body).join(',')}]${more}}`;
  return { body, etag: computeEtag(body) };
};
