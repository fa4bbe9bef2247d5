import type { CallToolResult } from '@modelcontextprotocol/server';
import { requireScope } from '../../../shared/access/scopes.ts';
import type { Assay } from '../../../shared/assay.ts';
import { findTools } from '../../../shared/registry/find-tools.ts';
import type { McpCaller } from './caller.ts';
import { refusalResult } from './result.ts';

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
const MAX_QUERY = 10_000;

/** `find_tools`: the tools that match a text best, with what is needed to call them. */
export const findCatalogTools = async (
  assay: Assay,
  { actor }: McpCaller,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> => {
  requireScope(actor, 'read');
  const { query, limit = DEFAULT_LIMIT } = args;
  if (typeof query !== 'string' || query.trim() === '' || query.length > MAX_QUERY)
    return refusalResult({ code: 'InvalidInput', message: `query must be a text of 1 to ${MAX_QUERY} characters` });
  const wanted = Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MAX_LIMIT)
    return refusalResult({ code: 'InvalidInput', message: `limit must be a whole number from 1 to ${MAX_LIMIT}` });
  const found = await findTools(await assay.catalogs.of(actor.tenant), actor, { query, limit: wanted });
  const tools = found.map(({ name, description = '', parameters }) => ({ name, description, parameters }));
  return { content: [{ type: 'text', text: JSON.stringify({ tools }) }], structuredContent: { tools } };
};
