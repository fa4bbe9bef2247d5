import * as z from 'zod';
import type { Assay } from '../../../shared/assay.ts';
import { requireScope } from '../../../shared/billing/authenticate.ts';
import { Distortion, IqaType } from '../../../shared/model/iqa.ts';
import type { Catalog } from '../../../shared/registry/catalog.ts';
import { type Entry, etagOf } from '../../../shared/registry/entry.ts';
import { type Filter, matches } from '../../../shared/registry/filter.ts';
import { compilePattern } from '../../../shared/registry/pattern.ts';
import type { SearchIndex } from '../../../shared/registry/search.ts';
import { answer } from '../answer.ts';
import { parseBy } from '../body.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { type ApiContext, catalogOf } from '../env.ts';
import { PageQuery } from '../schemas.ts';

const words = z
  .string()
  .max(8192)
  .transform((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  );

export const ToolsQuery = PageQuery.extend({
  tags: words.optional(),
  category: z.string().max(128).optional(),
  name_pattern: z.string().max(1000).optional(),
  capability: words.optional(),
  type: IqaType.optional(),
  distortion: Distortion.optional(),
  allowed: words.optional(),
  include_disabled: z.enum(['true', 'false']).optional(),
  q: z.string().max(10_000).optional(),
});
type ToolsQuery = z.infer<typeof ToolsQuery>;

/** `GET /v1/tools`: a page by name, or by rank when there is a text to find. */
export const listTools = async (c: ApiContext, assay: Assay): Promise<Response> => {
  requireScope(c.get('actor'), 'read');
  const query = parseBy(ToolsQuery, c.req.query(), 'the query');
  const tenant = await catalogOf(c, assay);
  const filter = filterOf(query, c.get('actor').tools);
  const { limit: _, cursor, ...rest } = query;
  const scope = JSON.stringify(rest);
  const after = cursor === undefined ? undefined : readCursor(cursor, scope);
  const page =
    query.q === undefined
      ? byName(tenant.catalog, query, filter, after)
      : byRank(tenant.catalog, await tenant.search(), query, filter, after);
  const next = page.next === undefined ? '' : `,"next_cursor":${JSON.stringify(writeCursor(page.next, scope))}`;
  const body = `{"tools":[${page.entries.map((entry) => entry.answer.body).join(',')}]${next}}`;
  return answer(c, { body, etag: etagOf(body) });
};

interface ToolsPage {
  readonly entries: readonly Entry[];
  readonly next?: string;
}

const byName = (catalog: Catalog, query: ToolsQuery, filter: Filter, after: string | undefined): ToolsPage =>
  catalog.list({
    filter,
    limit: query.limit,
    includeDisabled: query.include_disabled === 'true',
    ...(after === undefined ? {} : { after }),
  });

const byRank = (catalog: Catalog, index: SearchIndex, query: ToolsQuery, filter: Filter, after = '0'): ToolsPage => {
  const start = Number(after);
  const accept = (name: string): boolean => {
    const entry = catalog.get(name);
    return (
      entry !== undefined &&
      (query.include_disabled === 'true' || entry.family.enabled) &&
      matches(entry.record.spec, filter)
    );
  };
  const end = start + query.limit;
  const hits = index.search(query.q ?? '', { limit: end + 1, accept });
  const entries = hits.slice(start, end).flatMap(({ name }) => catalog.get(name) ?? []);
  return hits.length > end ? { entries, next: String(end) } : { entries };
};

const filterOf = (query: ToolsQuery, confined: ReadonlySet<string> | undefined): Filter => ({
  ...(query.tags === undefined ? {} : { tags: query.tags }),
  ...(query.category === undefined ? {} : { category: query.category }),
  ...(query.capability === undefined
    ? {}
    : { capabilities: Object.fromEntries(query.capability.map((flag) => [flag, true])) }),
  ...(query.type === undefined ? {} : { type: query.type }),
  ...(query.distortion === undefined ? {} : { distortion: query.distortion }),
  ...allowedOf(query.allowed, confined),
  ...(query.name_pattern === undefined ? {} : { name: compilePattern(query.name_pattern, 'name_pattern').startsWith }),
});

const allowedOf = (
  asked: readonly string[] | undefined,
  confined: ReadonlySet<string> | undefined,
): Pick<Filter, 'allowed'> => {
  if (asked === undefined) return confined === undefined ? {} : { allowed: confined };
  return { allowed: new Set(asked.filter((name) => confined === undefined || confined.has(name))) };
};
