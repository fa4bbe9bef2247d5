import type { Handler } from '../kernel/ports.ts';
import type { ToolDefinition } from '../model/tool.ts';
import type { Catalogs } from './catalogs.ts';
import { findEntry } from './visible-entry.ts';

/** Lets an agent that was given only some tools find the others. */
export const REGISTRY_SEARCH: ToolDefinition = {
  name: 'registry_search',
  description:
    'Finds tools of this registry by what they do, in words: which tool there is that can do something; gives their names, descriptions and parameters.',
  type: 'function',
  handler: 'registry_search',
  implementation: { type: 'internal', handler: 'registry_search' },
  version: '1.0.0',
  category: 'registry',
  tags: ['registry', 'tools', 'search', 'discover'],
  scenarios: ['development', 'knowledge'],
  intents: ['search', 'recommend'],
  permission: 'safe',
  cacheable: false,
  timeout_seconds: 10,
  instructions: 'Use registry_search when none of the tools you were given fits; then call the tool it names.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 4000, description: 'What the tool should do.' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
    },
    required: ['query'],
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: {
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            version: { type: 'string' },
            description: { type: 'string' },
            parameters: { type: 'object' },
            score: { type: 'number', description: 'Higher fits better; only comparable within one answer.' },
          },
          required: ['name', 'version', 'description', 'parameters', 'score'],
        },
      },
    },
    required: ['tools'],
  },
};

/** Searches the calling tenant's catalogue, limited to what its key sees. */
export const registrySearch = (catalogs: () => Catalogs): Handler => ({
  permission: 'safe',
  run: async (args, { tenant, allowed }) => {
    const held = await catalogs().of(tenant);
    const accept = (name: string): boolean =>
      findEntry(held.catalog, { tools: allowed }, name)?.family.enabled === true;
    const hits = await held.find(String(args.query), { limit: Number(args.limit ?? 10), accept });
    const tools = hits.flatMap(({ name, score }) => {
      const record = held.catalog.get(name)?.record;
      if (!record) return [];
      const { description = '', parameters } = record.spec;
      return [{ name, version: record.version, description, parameters, score }];
    });
    return { tools };
  },
});
