import { definer, provider } from './definer.ts';
import { arrayOf, isObject, objectOf, type Schema } from './json.ts';
import { FUNCTION_NAME } from './names.ts';
import { Assembly, errorText, eventsOf, outputText } from './responses.ts';
import { ANTHROPIC_KEYS, anthropicStrict } from './schema/dialect.ts';
import type { RawCall, Result } from './types.ts';

export interface BedrockTool<Document = unknown> {
  readonly toolSpec: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: { readonly json: Document };
    readonly strict?: boolean;
  };
}

export interface BedrockMessage<Document = unknown> {
  readonly role: 'user';
  readonly content: {
    readonly toolResult: {
      readonly toolUseId: string;
      readonly content: ({ readonly json: Document } | { readonly text: string })[];
      readonly status: 'success' | 'error';
    };
  }[];
}

/** Amazon Bedrock's Converse API. */
export const bedrockForm = /* @__PURE__ */ definer({
  label: 'Bedrock',
  names: FUNCTION_NAME,
  // Most tools on Bedrock go to Claude, which refuses other property names.
  keys: ANTHROPIC_KEYS,
  entry: ({ name, description, parameters, strict }): BedrockTool => ({
    toolSpec: {
      name,
      ...(description ? { description } : {}),
      inputSchema: { json: parameters },
      ...(strict ? { strict } : {}),
    },
  }),
  strict: { dialect: anthropicStrict },
  remarks: (options) => (options.defer ? ['Converse cannot defer definitions: use mode=search'] : []),
});

export const bedrock = /* @__PURE__ */ provider(bedrockForm, {
  names: FUNCTION_NAME,
  keys: ANTHROPIC_KEYS,
  parse: parseBedrock,
  format: (results): readonly BedrockMessage[] => [{ role: 'user', content: results.map(blockOf) }],
});

function parseBedrock(response: unknown): readonly RawCall[] {
  const assembly = new Assembly();
  for (const event of eventsOf(response)) {
    const started = objectOf(event.contentBlockStart);
    const delta = objectOf(event.contentBlockDelta);
    const start = objectOf(started.start).toolUse;
    const part = objectOf(delta.delta).toolUse;
    if (isObject(start)) assembly.add(`block ${started.contentBlockIndex}`, { id: start.toolUseId, name: start.name });
    if (isObject(part)) assembly.add(`block ${delta.contentBlockIndex}`, { arguments: part.input });
    for (const block of blocksOf(event)) {
      const use = objectOf(block).toolUse;
      if (isObject(use))
        assembly.whole({ id: use.toolUseId, name: use.name, arguments: use.input === null ? 'null' : use.input });
    }
  }
  return assembly.calls();
}

const blocksOf = (event: Schema): readonly unknown[] =>
  arrayOf(objectOf(objectOf(event.output).message ?? event.message ?? event).content);

function blockOf(result: Result): BedrockMessage['content'][number] {
  const { id, output, error } = result;
  // `json` takes an object; anything else goes as text.
  const body =
    error === undefined
      ? isObject(output)
        ? { json: output }
        : { text: outputText(result) }
      : { text: errorText(error) };
  return { toolResult: { toolUseId: String(id), content: [body], status: error === undefined ? 'success' : 'error' } };
}
