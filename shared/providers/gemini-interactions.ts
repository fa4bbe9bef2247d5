import { omitUndefined } from '../kernel/omit-undefined.ts';
import { definer, provider } from './definer.ts';
import { GEMINI_NAMES } from './gemini.ts';
import { isRecord, type Schema } from './json.ts';
import { encodeName } from './names.ts';
import { errorText, outputText } from './results.ts';
import { GEMINI_KEYS, geminiJson } from './schema/dialect.ts';
import { geminiReader } from './stream/gemini-reader.ts';
import type { ToolResult } from './types.ts';

export interface InteractionsTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly parameters: Schema;
}

/** A step of the next request's `input`. */
export interface InteractionsMessage {
  readonly type: 'function_result';
  readonly call_id: string;
  readonly name: string;
  readonly result: string | Record<string, unknown>;
  readonly is_error?: boolean;
}

/** Gemini's interactions API: flat definitions with JSON Schema, and steps instead of contents. */
export const geminiInteractionsForm = /* @__PURE__ */ definer({
  label: 'Gemini',
  names: GEMINI_NAMES,
  dialect: () => geminiJson,
  entry: ({ name, description, parameters }): InteractionsTool =>
    omitUndefined({ type: 'function', name, description, parameters }),
  remarks: (options) => [
    ...(options.strict ? ['set tool_choice to validated: definitions have no strict form'] : []),
    ...(options.defer ? ['Gemini cannot defer definitions: use mode=search'] : []),
  ],
});

export const geminiInteractions = /* @__PURE__ */ provider(geminiInteractionsForm, {
  names: GEMINI_NAMES,
  keys: GEMINI_KEYS,
  reader: geminiReader,
  format: (results): readonly InteractionsMessage[] => results.map(toStep),
});

/** A result is sent as an object or a text; a tool's output is never turned into content parts. */
function toStep(result: ToolResult): InteractionsMessage {
  const { id, name, output, error } = result;
  return omitUndefined({
    type: 'function_result',
    call_id: String(id),
    name: encodeName(name, GEMINI_NAMES),
    result: error === undefined ? (isRecord(output) ? { ...output } : outputText(result)) : errorText(error),
    is_error: error === undefined ? undefined : true,
  });
}
