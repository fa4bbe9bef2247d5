import type { Tool } from '../model/tool.ts';
import { isRecord } from './json.ts';
import type { ModelCall, ModelCallError } from './types.ts';

/** Finds tools in the catalogue, so that the catalogue need not be in the context. */
export const findTools: Tool = {
  name: 'find_tools',
  description:
    'Search the catalogue of tools. Say what you need to do; the answer lists the tools that fit best, each with its name, description and parameters. Then run one with call_tool.',
  type: 'function',
  tags: [],
  permission: 'safe',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What the tool shall do, in a few words' },
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many tools to list, 5 unless given' },
    },
    required: ['query'],
    additionalProperties: false,
  },
};

/** Runs a tool that find_tools returned. */
export const callTool: Tool = {
  name: 'call_tool',
  description: 'Run a tool of the catalogue by its name, with arguments that fit the parameters find_tools listed.',
  type: 'function',
  tags: [],
  permission: 'safe',
  parameters: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name of the tool, as find_tools gave it' },
      arguments: { type: 'object', description: 'The arguments of the tool, by name' },
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  },
};

/** The tools that replace the catalogue in mode=search. */
export const metaTools: readonly Tool[] = [callTool, findTools];

export type InnerCall =
  | { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly error: ModelCallError };

/** The call inside a call of `call_tool`; any other call is returned unchanged. */
export function unwrapCall(call: Pick<ModelCall, 'name' | 'arguments'>): InnerCall {
  if (call.name !== callTool.name) return { name: call.name, arguments: call.arguments };
  const { name, arguments: values } = call.arguments;
  if (typeof name !== 'string' || name === '') return refused('call_tool needs the name of a tool');
  if (isRecord(values)) return { name, arguments: values };
  // Models that cannot send free-form objects send their JSON text.
  const parsed =
    typeof values === 'string' ? parseObject(values) : values === undefined || values === null ? {} : undefined;
  return parsed ? { name, arguments: parsed } : refused(`the arguments for ${name} are not an object`);
}

const refused = (message: string): InnerCall => ({ error: { code: 'InvalidInput', message } });

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
