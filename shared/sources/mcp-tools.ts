import { isObject, type JsonObject } from '../kernel/json.ts';
import { schemaWithBlocks } from './mcp-output.ts';
import type { UpstreamProblem, UpstreamTool } from './upstream.ts';

/** A tool as an MCP server lists it, or why it is invalid. */
export const readMcpTool = (listed: unknown): UpstreamTool | UpstreamProblem => {
  if (!isObject(listed) || typeof listed.name !== 'string' || listed.name === '')
    return { tool: '', reason: 'it lists a tool without a name' };
  const { name, title, description, inputSchema, outputSchema, annotations, icons } = listed;
  if (name.length > 256) return { tool: name.slice(0, 64), reason: `its name has ${name.length} characters` };
  if (!isObject(inputSchema)) return { tool: name, reason: 'its inputSchema is not a JSON Schema' };
  if (outputSchema !== undefined && !isObject(outputSchema))
    return { tool: name, reason: 'its outputSchema is not a JSON Schema' };
  return {
    name,
    title: textOrNone(title),
    description: textOrNone(description),
    parameters: inputSchema,
    output_schema: outputSchema && schemaWithBlocks(outputSchema as JsonObject),
    annotations: isObject(annotations) ? annotations : undefined,
    icons: Array.isArray(icons) ? icons : undefined,
  };
};

const textOrNone = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
