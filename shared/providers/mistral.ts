import { type ChatTool, chatTool, openaiStrictForm } from './chat.ts';
import { definer, provider } from './definer.ts';
import { encodeName, FUNCTION_NAME } from './names.ts';
import { outputText } from './results.ts';
import { mistralReader } from './stream/mistral-reader.ts';
import type { ToolResult } from './types.ts';

export type MistralTool = ChatTool;

export interface MistralMessage {
  readonly role: 'tool';
  readonly name: string;
  readonly tool_call_id: string;
  readonly content: string;
}

/** An entry of the next request's `inputs`. */
export interface MistralEntry {
  readonly object: 'entry';
  readonly type: 'function.result';
  readonly tool_call_id: string;
  readonly result: string;
}

/** Mistral's chat API, and its conversations, which take the same tools. */
export const mistralForm = /* @__PURE__ */ definer({
  label: 'Mistral',
  names: FUNCTION_NAME,
  entry: chatTool,
  strict: openaiStrictForm,
  remarks: (options) => (options.defer ? ['Mistral cannot defer definitions: use mode=search'] : []),
});

export const mistral = /* @__PURE__ */ provider(mistralForm, {
  names: FUNCTION_NAME,
  reader: mistralReader,
  format: (results): readonly (MistralMessage | MistralEntry)[] => results.map(toMessage),
  // Mistral accepts only ids of exactly nine letters and digits.
  newId: (index) => `assay${String(index % 10_000).padStart(4, '0')}`,
});

const toMessage = (result: ToolResult): MistralMessage | MistralEntry => {
  const tool_call_id = String(result.id);
  const said = outputText(result);
  return result.form === 'conversation'
    ? { object: 'entry', type: 'function.result', tool_call_id, result: said }
    : { role: 'tool', name: encodeName(result.name, FUNCTION_NAME), tool_call_id, content: said };
};
