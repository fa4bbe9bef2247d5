import { type ChatTool, chatTool } from './chat.ts';
import { definer, provider } from './definer.ts';
import { encodeName } from './names.ts';
import { outputText } from './results.ts';
import { ollama as dialect } from './schema/dialect.ts';
import { ollamaReader } from './stream/ollama-reader.ts';

export type OllamaTool = ChatTool;

export interface OllamaMessage {
  readonly role: 'tool';
  readonly tool_name: string;
  readonly content: string;
}

/** Undocumented; templates print the name unescaped. */
const NAMES = /^[^\s"'`<>{}]{1,64}$/;

/** Ollama's own chat API. */
export const ollamaForm = /* @__PURE__ */ definer({
  label: 'Ollama',
  names: NAMES,
  entry: (parts): OllamaTool => chatTool({ ...parts, strict: false }),
  dialect: () => dialect,
  remarks: (options) => [
    ...(options.strict ? ['Ollama has no strict form'] : []),
    ...(options.defer ? ['Ollama cannot defer definitions: use mode=search'] : []),
  ],
});

export const ollama = /* @__PURE__ */ provider(ollamaForm, {
  names: NAMES,
  reader: ollamaReader,
  // Results are matched to calls by name and order.
  format: (results): readonly OllamaMessage[] =>
    results.map((result) => ({ role: 'tool', tool_name: encodeName(result.name, NAMES), content: outputText(result) })),
});
