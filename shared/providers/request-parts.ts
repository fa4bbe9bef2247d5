import type { Tool } from '../model/tool.ts';
import type { AnthropicTool } from './anthropic.ts';
import type { ProviderName } from './forms.ts';
import type { ResponsesTool } from './openai-responses.ts';
import { SEARCH_DESCRIPTION, SEARCH_PARAMETERS, SEARCH_TOOL } from './search-calls.ts';

/** What a provider's request can contain besides its definitions. */
export interface RequestParts {
  /** The search tool that the client runs: instead of the definitions, or beside them where all must be declared. */
  readonly search?: { readonly tool: unknown; readonly place: 'alone' | 'beside' };
  readonly hasNamespaces?: boolean;
  /** The fields that tell who may call a tool. */
  readonly callers?: (tool: Tool) => { readonly allowed_callers: readonly string[] };
  /** The part of the request that allows only some tools, by the provider's names. */
  readonly choice?: (names: readonly string[]) => Readonly<Record<string, unknown>>;
}

/** Tools that need a person's consent cannot be called by code. */
const isSafe = (tool: Tool): boolean => (tool.permission ?? 'safe') === 'safe';

export const requestParts: Readonly<Partial<Record<ProviderName, RequestParts>>> = {
  'openai-responses': {
    search: {
      tool: {
        type: 'tool_search',
        execution: 'client',
        description: SEARCH_DESCRIPTION,
        parameters: SEARCH_PARAMETERS,
      },
      place: 'alone',
    },
    hasNamespaces: true,
    // Code reads a result by its schema.
    callers: (tool): Required<Pick<ResponsesTool, 'allowed_callers'>> & Pick<ResponsesTool, 'output_schema'> => ({
      allowed_callers: isSafe(tool) ? ['direct', 'programmatic'] : ['direct'],
      output_schema: isSafe(tool) ? tool.output_schema : undefined,
    }),
    choice: (names) => ({
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: names.map((name) => ({ type: 'function', name })) },
    }),
  },
  anthropic: {
    // A tool can be referenced only if the request declares it.
    search: {
      tool: { name: SEARCH_TOOL, description: SEARCH_DESCRIPTION, input_schema: SEARCH_PARAMETERS },
      place: 'beside',
    },
    callers: (tool): Required<Pick<AnthropicTool, 'allowed_callers'>> => ({
      allowed_callers: isSafe(tool) ? ['direct', 'code_execution_20260120'] : ['direct'],
    }),
  },
  openai: {
    choice: (names) => ({
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: names.map((name) => ({ type: 'function', function: { name } })) },
      },
    }),
  },
  gemini: {
    // Gemini enforces the names only in the modes ANY and VALIDATED; VALIDATED also lets the model answer in text.
    choice: (names) => ({
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: names } },
    }),
  },
  'gemini-interactions': {
    choice: (names) => ({ tool_choice: { allowed_tools: { mode: 'auto', tools: names } } }),
  },
};
