import { omitUndefined } from '../kernel/omit-undefined.ts';
import { openaiStrictForm } from './chat.ts';
import { definer, type Parts, provider } from './definer.ts';
import { FUNCTION_NAME } from './names.ts';
import { groupOf, inNamespaces, type Namespace } from './namespaces.ts';
import { outputText } from './results.ts';
import { responsesReader } from './stream/responses-reader.ts';
import type { ToolResult } from './types.ts';

export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly strict: boolean;
  readonly parameters: Record<string, unknown>;
  readonly defer_loading?: boolean;
  readonly allowed_callers?: ('direct' | 'programmatic')[];
  readonly output_schema?: Record<string, unknown>;
}

export interface ResponsesMessage {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
  readonly caller?: { readonly type: 'program'; readonly caller_id: string };
}

export interface ResponsesSearchMessage {
  readonly type: 'tool_search_output';
  readonly call_id: string;
  readonly execution: 'client';
  readonly status: 'completed';
  readonly tools: (ResponsesTool | Namespace<ResponsesTool>)[];
}

/** The name that we give to the model's search, since its item has none. */
const SEARCH_NAME = 'tool_search';

/** The longest output that the API accepts. */
const LONGEST = 10_485_760;

/** OpenAI's Responses API: flat definitions, items instead of messages. */
export const openaiResponsesForm = /* @__PURE__ */ definer({
  label: 'OpenAI',
  names: FUNCTION_NAME,
  entry: (parts): ResponsesTool =>
    omitUndefined({ ...responsesTool(parts), defer_loading: parts.options.defer || undefined }),
  strict: openaiStrictForm,
  search: { type: 'tool_search' },
});

export const openaiResponses = /* @__PURE__ */ provider(openaiResponsesForm, {
  names: FUNCTION_NAME,
  reader: responsesReader,
  searchName: SEARCH_NAME,
  format: (results): readonly (ResponsesMessage | ResponsesSearchMessage)[] =>
    results.map((result) => (result.name === SEARCH_NAME ? searchMessage(result) : responsesMessage(result))),
});

/** Found tools are returned as definitions. The item has no field for errors, so a failed search returns none. */
function searchMessage({ id, found = [] }: ToolResult): ResponsesSearchMessage {
  const { fragments } = openaiResponsesForm.assemble(
    found.map((tool) => openaiResponsesForm.defineTool(tool, { defer: true })),
  );
  const groups = new Map(found.map((tool) => [tool.name, groupOf(tool)]));
  const entries = fragments.map(({ tool, value }) => ({
    tool,
    value: value as ResponsesTool,
    group: groups.get(tool),
  }));
  return {
    type: 'tool_search_output',
    call_id: String(id),
    execution: 'client',
    status: 'completed',
    tools: [...inNamespaces(entries)],
  };
}

/** Always sent, because without `strict` the API tries the strict form and changes the meaning of the schema. */
export const responsesTool = ({ name, description, parameters, strict }: Parts): ResponsesTool =>
  omitUndefined({ type: 'function', name, description, strict, parameters });

export const responsesMessage = (result: ToolResult): ResponsesMessage =>
  omitUndefined({
    type: 'function_call_output',
    call_id: String(result.id),
    output: shorten(outputText(result)),
    caller: toProgram(result.caller),
  });

/** A program that made a call expects the result under its own id. */
const toProgram = (caller: ToolResult['caller']): ResponsesMessage['caller'] =>
  caller?.type === 'program' ? { type: 'program', caller_id: String(caller.caller_id) } : undefined;

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 14)}… [shortened]` : text;
