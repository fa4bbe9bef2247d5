import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { FaultCode, FaultDetails } from '../../../shared/kernel/errors.ts';
import { isObject, type JsonSchema } from '../../../shared/kernel/json.ts';
import type { Blobs } from '../../../shared/kernel/ports.ts';
import type { Outcome } from '../../../shared/model/call.ts';
import { linkLargeBlocks, separateMedia } from './media.ts';

/** A tool's outcome as an MCP result: text for the model, the same as structured content, and pictures as blocks. */
export const toToolResult = async (
  blobs: Blobs | undefined,
  tenant: string,
  outputSchema: JsonSchema | undefined,
  outcome: Pick<Outcome, 'status' | 'output' | 'error'>,
): Promise<CallToolResult> => {
  if (outcome.status !== 'ok') {
    const { type = 'Error', message = 'the tool failed' } = outcome.error ?? {};
    return { content: [{ type: 'text', text: `${type}: ${message}` }], isError: true };
  }
  const own = outputSchema === undefined ? readContent(outcome.output) : undefined;
  if (own) return { content: await linkLargeBlocks(blobs, tenant, own) };
  const { output, blocks } = await separateMedia(blobs, tenant, outcome.output);
  const isStructured = isObject(output) || outputSchema !== undefined;
  return {
    content: [{ type: 'text', text: formatText(output) }, ...blocks],
    structuredContent: isStructured ? (output as Record<string, unknown>) : undefined,
  };
};

type About = Pick<Outcome, 'call_id' | 'version' | 'duration_ms' | 'cached' | 'charged_micros'>;

/** Metadata of a call for programs, beside its result. */
export const callMeta = (outcome: About): { readonly _meta: Record<string, unknown> } => ({
  _meta: {
    'assay/call_id': outcome.call_id,
    'assay/version': outcome.version,
    'assay/duration_ms': outcome.duration_ms,
    'assay/cached': outcome.cached,
    'assay/charged_micros': outcome.charged_micros,
  },
});

interface Refused {
  readonly code: FaultCode;
  readonly message: string;
  readonly details?: FaultDetails;
}

/** A refusal as text that a model can act on, with the data that programs need beside it. */
export const refusalResult = ({ code, message, details = {} }: Refused): CallToolResult => ({
  content: [{ type: 'text', text: `${code}: ${message}` }],
  isError: true,
  _meta: { 'assay/error': { code, message, details } },
});

const formatText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output ?? null));

/** The content blocks of a tool whose output is MCP content, `{content: [{type: "image", ...}]}`, and nothing else. */
const readContent = (output: unknown): readonly ContentBlock[] | undefined => {
  if (!isObject(output) || !Array.isArray(output.content) || Object.keys(output).length > 1) return undefined;
  const blocks: readonly unknown[] = output.content;
  return blocks.length > 0 && blocks.every(isBlock) ? (blocks as readonly ContentBlock[]) : undefined;
};

const isBlock = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const isText = (key: string): boolean => typeof value[key] === 'string';
  if (value.type === 'text') return isText('text');
  if (value.type === 'image' || value.type === 'audio') return isText('data') && isText('mimeType');
  if (value.type === 'resource_link') return isText('uri') && isText('name');
  return value.type === 'resource' && isObject(value.resource) && typeof value.resource.uri === 'string';
};
