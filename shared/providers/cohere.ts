import { type ChatTool, chatTool } from './chat.ts';
import { definer, provider } from './definer.ts';
import { isRecord } from './json.ts';
import { errorText } from './results.ts';
import { cohereStrict } from './schema/dialect.ts';
import { cohereReader } from './stream/cohere-reader.ts';
import type { ToolResult } from './types.ts';

export type CohereTool = ChatTool;

export interface CohereMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

const NAMES = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Cohere's chat API, version 2. */
export const cohereForm = /* @__PURE__ */ definer({
  label: 'Cohere',
  names: NAMES,
  entry: (parts): CohereTool => chatTool({ ...parts, strict: false }),
  strict: {
    dialect: cohereStrict,
    refuses: (size) =>
      size.fields === size.optional ? 'strict_tools needs at least one required parameter' : undefined,
    budget: {
      tools: Number.POSITIVE_INFINITY,
      optional: Number.POSITIVE_INFINITY,
      unions: Number.POSITIVE_INFINITY,
      fields: 200,
    },
    isWhole: true,
  },
  remarks: (options) => [
    ...(options.strict ? ['send strict_tools: true with the request'] : []),
    ...(options.defer ? ['Cohere cannot defer definitions: use mode=search'] : []),
  ],
});

export const cohere = /* @__PURE__ */ provider(cohereForm, {
  names: NAMES,
  reader: cohereReader,
  format: (results): readonly CohereMessage[] => results.map(toMessage),
  nullArguments: true,
});

/** Cohere requires the text of a JSON object. */
function toMessage(result: ToolResult): CohereMessage {
  const { id, output, error } = result;
  const body =
    error === undefined ? (isRecord(output) ? output : { output: output ?? null }) : { error: errorText(error) };
  return { role: 'tool', tool_call_id: String(id), content: JSON.stringify(body) };
}
