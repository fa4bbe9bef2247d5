import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Tool } from '../model/tool.ts';
import { asText } from './json.ts';
import type { CallForm, CallId, ModelCall, ModelCallError } from './types.ts';

/** A search for tools in the provider's own form; answered by a result with `search`. */
export interface SearchCall {
  readonly id: CallId;
  readonly name: string;
  readonly search: { readonly query: string; readonly limit?: number };
  readonly error?: ModelCallError;
  readonly form?: CallForm;
}

/** The name by which models call the search where the provider has no search of its own; no tool may have it. */
export const SEARCH_TOOL = 'assay_tool_search';

export const SEARCH_DESCRIPTION =
  'Find tools by what they shall do. Search before saying that something cannot be done; the tools that are found can be called from then on.';

export const SEARCH_PARAMETERS = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What the tool shall do, in a few words' },
    limit: { type: 'integer', description: 'How many tools to find at most, 5 unless given' },
  },
  required: ['query'],
  additionalProperties: false,
} as const;

const LONGEST_QUERY = 4000;
const MAX_TOOLS = 20;

/** Parses a search call. If its parameters are not ours, all texts in them form the query. */
export function toSearchCall({ id, name, arguments: values, error, form }: ModelCall): SearchCall {
  const texts = Object.values(values).flatMap((value) => (Array.isArray(value) ? value : [value]));
  const said = texts.filter((text) => typeof text === 'string').join(' ');
  const query = (asText(values.query) ?? asText(values.goal) ?? said).slice(0, LONGEST_QUERY);
  const { limit } = values;
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit > 0;
  const missing: ModelCallError | undefined =
    query.trim() === '' ? { code: 'InvalidInput', message: 'the search says nothing to look for' } : undefined;
  return omitUndefined({
    id,
    name,
    search: isLimit ? { query, limit: Math.min(limit, MAX_TOOLS) } : { query },
    error: error ?? missing,
    form,
  });
}

/** Formats found tools for a model that runs them with `call_tool`. */
export const formatListing = (tools: readonly Tool[]): unknown => ({
  tools: tools.map(({ name, description = '', parameters }) => ({ name, description, parameters })),
});
