import { omitUndefined } from '../kernel/omit-undefined.ts';
import { definer, provider } from './definer.ts';
import { encodeName, FUNCTION_NAME } from './names.ts';
import { errorText, outputText } from './results.ts';
import { ANTHROPIC_KEYS, anthropicStrict } from './schema/dialect.ts';
import { SEARCH_TOOL } from './search-calls.ts';
import { anthropicReader } from './stream/anthropic-reader.ts';
import type { ToolResult } from './types.ts';

export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly type: 'object' } & Record<string, unknown>;
  readonly strict?: boolean;
  readonly input_examples?: Record<string, unknown>[];
  readonly defer_loading?: boolean;
  readonly allowed_callers?: ('direct' | 'code_execution_20260120')[];
}

export interface AnthropicMessage {
  readonly role: 'user';
  readonly content: {
    readonly type: 'tool_result';
    readonly tool_use_id: string;
    readonly content: string | { readonly type: 'tool_reference'; readonly tool_name: string }[];
    readonly is_error?: boolean;
  }[];
}

/** Anthropic's Messages API. */
export const anthropicForm = /* @__PURE__ */ definer({
  label: 'Anthropic',
  names: FUNCTION_NAME,
  keys: ANTHROPIC_KEYS,
  entry: ({ name, description, parameters, strict, examples, options }): AnthropicTool =>
    omitUndefined({
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
      strict: strict || undefined,
      input_examples: examples,
      defer_loading: options.defer || undefined,
    }),
  takesExamples: true,
  strict: {
    dialect: anthropicStrict,
    budget: { tools: 20, optional: 24, unions: 16, fields: Number.POSITIVE_INFINITY },
  },
  // The API needs at least one tool that is not deferred: this one.
  search: { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
});

export const anthropic = /* @__PURE__ */ provider(anthropicForm, {
  names: FUNCTION_NAME,
  keys: ANTHROPIC_KEYS,
  reader: anthropicReader,
  searchName: SEARCH_TOOL,
  // All results of one turn must be in one message.
  format: (results): readonly AnthropicMessage[] => [
    {
      role: 'user',
      content: results.map((result) =>
        omitUndefined({
          type: 'tool_result',
          tool_use_id: String(result.id),
          content: result.error === undefined ? toContent(result) : errorText(result.error),
          is_error: result.error === undefined ? undefined : true,
        }),
      ),
    },
  ],
});

/** Found tools are returned by reference. */
function toContent(result: ToolResult): AnthropicMessage['content'][number]['content'] {
  const { name, found } = result;
  if (name !== SEARCH_TOOL || !found) return outputText(result);
  if (found.length === 0) return 'no tool fits; search with other words';
  return found.map((tool) => ({ type: 'tool_reference', tool_name: encodeName(tool.name, FUNCTION_NAME) }));
}
