import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { compilePattern } from '../../../shared/kernel/pattern.ts';
import { Distortion, IqaType } from '../../../shared/model/iqa.ts';
import type { Catalog } from '../../../shared/registry/catalog.ts';
import { type Filter, matches } from '../../../shared/registry/filter.ts';
import { pageAnswer, pageByName, startOf, type ToolsPage } from '../../../shared/registry/lookup/list-tools.ts';
import { MAX_WORDS_LENGTH, wordsOf } from '../../../shared/registry/lookup/query-params.ts';
import { filterOf, readToolsQuery, type ToolsQuery } from '../../../shared/registry/lookup/tools-query.ts';
import type { SearchIndex } from '../../../shared/search/search-index.ts';
import { answer } from '../answer.ts';
import { parseBy } from '../body.ts';
import { type ApiContext, catalogOf } from '../env.ts';
import { PageQuery } from '../schemas.ts';

const words = z
  .string()
  .max(MAX_WORDS_LENGTH)
  .transform((text): readonly string[] => wordsOf(text));

export const ToolsQueryBody = PageQuery.extend({
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

/** `GET /v1/tools`: a page by name, or by rank when there is a text to find. */
export const listTools = async (c: ApiContext, assay: Assay): Promise<Response> => {
  requireScope(c.get('actor'), 'read');
  const params = c.req.query();
  const query = readToolsQuery(params) ?? parseBy(ToolsQueryBody, params, 'the query');
  const tenant = await catalogOf(c, assay);
  const filter = { ...filterOf(query, c.get('actor').tools), ...patternOf(query) };
  const page =
    query.q === undefined
      ? pageByName(tenant.catalog, query, filter)
      : pageByRank(tenant.catalog, await tenant.search(), query, filter);
  return answer(c, pageAnswer(page, query));
};

const patternOf = ({ name_pattern }: ToolsQuery): Pick<Filter, 'name'> =>
  name_pattern === undefined ? {} : { name: compilePattern(name_pattern, 'name_pattern').startsWith };

const pageByRank = (catalog: Catalog, index: SearchIndex, query: ToolsQuery, filter: Filter): ToolsPage => {
  const start = Number(startOf(query) ?? '0');
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
