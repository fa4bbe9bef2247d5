import { omitUndefined } from '../kernel/omit-undefined.ts';
import { definer, provider } from './definer.ts';
import { isRecord } from './json.ts';
import { FUNCTION_NAME } from './names.ts';
import { errorText, outputText } from './results.ts';
import { ANTHROPIC_KEYS, anthropicStrict } from './schema/dialect.ts';
import { bedrockReader } from './stream/bedrock-reader.ts';
import type { ToolResult } from './types.ts';

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
    toolSpec: omitUndefined({
      name,
      description,
      inputSchema: { json: parameters },
      strict: strict || undefined,
    }),
  }),
  strict: { dialect: anthropicStrict },
  remarks: (options) => (options.defer ? ['Converse cannot defer definitions: use mode=search'] : []),
});

export const bedrock = /* @__PURE__ */ provider(bedrockForm, {
  names: FUNCTION_NAME,
  keys: ANTHROPIC_KEYS,
  reader: bedrockReader,
  format: (results): readonly BedrockMessage[] => [{ role: 'user', content: results.map(toBlock) }],
});

function toBlock(result: ToolResult): BedrockMessage['content'][number] {
  const { id, output, error } = result;
  // `json` takes only objects; other values are sent as text.
  const body =
    error === undefined
      ? isRecord(output)
        ? { json: output }
        : { text: outputText(result) }
      : { text: errorText(error) };
  return { toolResult: { toolUseId: String(id), content: [body], status: error === undefined ? 'success' : 'error' } };
}
