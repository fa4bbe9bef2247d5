import { type ChatTool, chatTool } from './chat.ts';
import { definer, provider } from './definer.ts';
import { objectOf } from './json.ts';
import { encodeName } from './names.ts';
import { Assembly, eventsOf, outputText, toolCallsOf } from './responses.ts';
import { ollama as dialect } from './schema/dialect.ts';
import type { RawCall } from './types.ts';

export type OllamaTool = ChatTool;

export interface OllamaMessage {
  readonly role: 'tool';
  readonly tool_name: string;
  readonly content: string;
}

/** Nothing is documented; templates print the name as it is. */
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
  parse: parseOllama,
  // Results are matched by name and order.
  format: (results): readonly OllamaMessage[] =>
    results.map((result) => ({ role: 'tool', tool_name: encodeName(result.name, NAMES), content: outputText(result) })),
});

function parseOllama(response: unknown): readonly RawCall[] {
  const assembly = new Assembly();
  for (const event of eventsOf(response)) {
    for (const call of toolCallsOf(objectOf(event.message ?? event))) {
      const { name, arguments: values } = objectOf(call.function);
      assembly.whole({ id: call.id, name, arguments: values === null ? 'null' : values });
    }
  }
  return assembly.calls();
}
