import * as z from 'zod';
import { visibleTools } from '../../../shared/access/visible-tools.ts';
import { compilePattern } from '../../../shared/kernel/pattern.ts';
import { Distortion, IqaType } from '../../../shared/model/iqa.ts';
import { type Filter, matches } from '../../../shared/registry/filter.ts';
import { cutPage } from '../../../shared/registry/lookup/cut-page.ts';
import { pageAnswer, pageByName, parsePageStart, type ToolsPage } from '../../../shared/registry/lookup/list-tools.ts';
import { MAX_WORDS_LENGTH, splitList } from '../../../shared/registry/lookup/query-params.ts';
import { buildFilter, type ToolsQuery } from '../../../shared/registry/lookup/tools-query.ts';
import type { TenantCatalog } from '../../../shared/registry/tenant-index.ts';
import { answerPrepared } from '../answer.ts';
import { route } from '../route.ts';
import { PageParams, RegistrationBody } from '../schemas.ts';

const words = z
  .string()
  .max(MAX_WORDS_LENGTH)
  .transform((text): readonly string[] => splitList(text));

export const ToolsQueryBody = PageParams.extend({
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

const ToolsPageBody = z.object({ tools: z.array(RegistrationBody), next_cursor: z.string().optional() });

/** A page of tools by name, or by rank for a search text. */
export const listTools = route({
  method: 'get',
  path: '/v1/tools',
  scope: 'read',
  summary: 'List tools by name, or find them by text',
  tag: 'Tools',
  query: ToolsQueryBody,
  answers: {
    200: {
      description: 'A page of tools',
      // Only the OpenAPI document needs it, so it is not created at start.
      get schema() {
        return ToolsPageBody;
      },
    },
    304: { description: 'Not modified' },
  },
  faults: ['InvalidInput'],
  async handle({ api, actor, query, context }) {
    const tenant = await api.catalogs.of(actor.tenant);
    const filter = { ...buildFilter(query, visibleTools(actor).only), name: readNamePattern(query) };
    const page =
      query.q === undefined
        ? cutPage(pageByName(tenant.catalog, query, filter), (taken) => taken.at(-1)?.family.name ?? '')
        : await pageByRank(tenant, query, filter);
    return answerPrepared(context, pageAnswer(page, query));
  },
});

const readNamePattern = ({ name_pattern: pattern }: ToolsQuery): Filter['name'] =>
  pattern === undefined ? undefined : compilePattern(pattern, 'name_pattern');

const pageByRank = async (tenant: TenantCatalog, query: ToolsQuery, filter: Filter): Promise<ToolsPage> => {
  const { catalog } = tenant;
  const start = Number(parsePageStart(query) ?? '0');
  const accept = (name: string): boolean => {
    const entry = catalog.get(name);
    return (
      entry !== undefined &&
      (query.include_disabled === 'true' || entry.family.enabled) &&
      matches(entry.record.spec, filter)
    );
  };
  const end = start + query.limit;
  const hits = await tenant.find(query.q ?? '', { limit: end + 1, accept });
  const entries = hits.slice(start, end).flatMap(({ name }) => catalog.get(name) ?? []);
  const page = hits.length > end ? { entries, next: String(end) } : { entries };
  return cutPage(page, (taken) => String(start + taken.length));
};
