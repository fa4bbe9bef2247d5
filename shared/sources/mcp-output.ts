import { isObject } from '../kernel/json.ts';

/** The result of a call as an MCP server sends it. */
export interface McpResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** The field for blocks that structured content cannot hold: pictures, sounds, links. */
const BLOCKS = '_content';

/**
 * The output of a call: its structured content, a single text as a string, and otherwise the blocks. Nothing is lost:
 * pictures and links beside structured content go to `_content`; texts beside it only repeat it.
 */
export const readMcpOutput = ({ content = [], structuredContent, isError }: McpResult): unknown => {
  if (isError) throw upstreamError(joinText(content));
  const other = content.filter((block) => !isText(block));
  if (structuredContent !== undefined) {
    if (other.length === 0 || !isObject(structuredContent)) return structuredContent;
    return { ...structuredContent, [BLOCKS]: other };
  }
  const [first] = content;
  return content.length === 1 && isText(first) ? first.text : { content };
};

/** An output schema that also allows the blocks beside structured content. */
export const schemaWithBlocks = (schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  ...schema,
  properties: { ...(isObject(schema.properties) ? schema.properties : {}), [BLOCKS]: { type: 'array' } },
});

const isText = (block: unknown): block is { readonly text: string } =>
  isObject(block) && block.type === 'text' && typeof block.text === 'string';

const joinText = (content: readonly unknown[]): string =>
  content
    .flatMap((block) => (isText(block) ? [block.text] : []))
    .join('\n')
    .slice(0, 2000);

/** A failure that the upstream itself reported. */
const upstreamError = (text: string): Error =>
  Object.assign(new Error(text || 'the source reported an error without a message'), { name: 'UpstreamError' });
