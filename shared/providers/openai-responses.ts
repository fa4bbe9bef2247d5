import { openaiStrictForm } from './chat.ts';
import { definer, type Parts, provider } from './definer.ts';
import { FUNCTION_NAME } from './names.ts';
import { outputText } from './results.ts';
import { responsesReader } from './stream/responses-reader.ts';
import type { Result } from './types.ts';

export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly strict: boolean;
  readonly parameters: Record<string, unknown>;
  readonly defer_loading?: boolean;
}

export interface ResponsesMessage {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/** The longest output the API takes. */
const LONGEST = 10_485_760;

/** OpenAI's Responses API: flat definitions, items instead of messages. */
export const openaiResponsesForm = /* @__PURE__ */ definer({
  label: 'OpenAI',
  names: FUNCTION_NAME,
  entry: (parts): ResponsesTool => ({
    ...responsesTool(parts),
    ...(parts.options.defer ? { defer_loading: true } : {}),
  }),
  strict: openaiStrictForm,
  search: { type: 'tool_search' },
});

export const openaiResponses = /* @__PURE__ */ provider(openaiResponsesForm, {
  names: FUNCTION_NAME,
  reader: responsesReader,
  format: (results): readonly ResponsesMessage[] => results.map(responsesMessage),
});

/** Without `strict` the API would try the strict form by itself and change what the schema means. */
export const responsesTool = ({ name, description, parameters, strict }: Parts): ResponsesTool => ({
  type: 'function',
  name,
  ...(description ? { description } : {}),
  strict,
  parameters,
});

export const responsesMessage = (result: Result): ResponsesMessage => ({
  type: 'function_call_output',
  call_id: String(result.id),
  output: shorten(outputText(result)),
});

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 14)}… [shortened]` : text;
