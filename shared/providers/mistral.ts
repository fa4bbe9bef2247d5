import { type ChatTool, chatTool, openaiStrictForm } from './chat.ts';
import { definer, provider } from './definer.ts';
import { encodeName, FUNCTION_NAME } from './names.ts';
import { outputText } from './results.ts';
import { chatReader } from './stream/chat-reader.ts';

export type MistralTool = ChatTool;

export interface MistralMessage {
  readonly role: 'tool';
  readonly name: string;
  readonly tool_call_id: string;
  readonly content: string;
}

/** Mistral's chat API. */
export const mistralForm = /* @__PURE__ */ definer({
  label: 'Mistral',
  names: FUNCTION_NAME,
  entry: chatTool,
  strict: openaiStrictForm,
  remarks: (options) => (options.defer ? ['Mistral cannot defer definitions: use mode=search'] : []),
});

export const mistral = /* @__PURE__ */ provider(mistralForm, {
  names: FUNCTION_NAME,
  reader: () => chatReader({ noId: 'null' }),
  format: (results): readonly MistralMessage[] =>
    results.map((result) => ({
      role: 'tool',
      name: encodeName(result.name, FUNCTION_NAME),
      tool_call_id: String(result.id),
      content: outputText(result),
    })),
  // Exactly nine letters and digits; anything else is refused.
  newId: (index) => `assay${String(index % 10_000).padStart(4, '0')}`,
});
