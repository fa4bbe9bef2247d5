import type { ContentBlock } from '@modelcontextprotocol/server';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Blobs } from '../../../shared/kernel/ports.ts';
import { isMedia, storeResult } from './links.ts';

/** Base64 longer than this is stored, and the model gets a link. */
const MAX_BLOCK = 131_072;
/** The limit for all blocks of one result together. */
const MAX_BLOCKS = 4 * MAX_BLOCK;
const MAX_DEPTH = 8;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

interface Separated {
  /** The output, with a block's name or a link in place of its base64. */
  readonly output: unknown;
  readonly blocks: readonly ContentBlock[];
}

/** Moves pictures and sounds from an output to blocks, so that none is repeated as text. */
export const separateMedia = async (blobs: Blobs | undefined, tenant: string, output: unknown): Promise<Separated> => {
  const found = findMedia(output, 0);
  if (found.length === 0) return { output, blocks: [] };
  const blocks: ContentBlock[] = [];
  const references = new Map<string, string>();
  let total = 0;
  for (const { base64, type } of found) {
    if (references.has(base64)) continue;
    const isInline = base64.length <= MAX_BLOCK && total + base64.length <= MAX_BLOCKS;
    if (!isInline && blobs === undefined) continue;
    total += isInline ? base64.length : 0;
    const block = isInline || !blobs ? toBlock(base64, type) : await storeResult(blobs, tenant, base64, type);
    blocks.push(block);
    references.set(base64, 'uri' in block ? block.uri : `${block.type} block ${blocks.length}`);
  }
  return { output: replace(output, references, 0), blocks };
};

/** The content blocks of a tool that answers in MCP's format, with links for large ones. */
export const linkLargeBlocks = (
  blobs: Blobs | undefined,
  tenant: string,
  blocks: readonly ContentBlock[],
): Promise<ContentBlock[]> =>
  Promise.all(
    blocks.map(async (block): Promise<ContentBlock> => {
      const { base64, type } = bulkOf(block);
      return blobs === undefined || base64.length <= MAX_BLOCK ? block : storeResult(blobs, tenant, base64, type);
    }),
  );

const bulkOf = (block: ContentBlock): Media => {
  if (block.type === 'image' || block.type === 'audio') return { base64: block.data, type: block.mimeType };
  if (block.type !== 'resource' || !('blob' in block.resource)) return { base64: '', type: '' };
  return { base64: block.resource.blob, type: block.resource.mimeType ?? 'application/octet-stream' };
};

const toBlock = (data: string, mimeType: string): ContentBlock & { readonly type: 'image' | 'audio' } => ({
  type: mimeType.startsWith('audio/') ? 'audio' : 'image',
  data,
  mimeType,
});

interface Media {
  readonly base64: string;
  readonly type: string;
}

const findMedia = (value: unknown, depth: number): readonly Media[] => {
  if (typeof value === 'string') return readDataUrl(value) ?? [];
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  const own = isObject(value) ? readMedia(value) : undefined;
  return own ? [own] : Object.values(value).flatMap((item) => findMedia(item, depth + 1));
};

const replace = (value: unknown, references: ReadonlyMap<string, string>, depth: number): unknown => {
  if (typeof value === 'string') {
    const [media] = readDataUrl(value) ?? [];
    return (media && references.get(media.base64)) ?? value;
  }
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replace(item, references, depth + 1));
  const own = isObject(value) ? readMedia(value) : undefined;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    own && own.field === key ? (references.get(own.base64) ?? item) : replace(item, references, depth + 1),
  ]);
  return Object.fromEntries(entries);
};

const readDataUrl = (text: string): readonly Media[] | undefined => {
  if (!text.startsWith('data:')) return undefined;
  const [, type, base64] = /^data:([\w/+.-]{1,100});base64,([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  return type !== undefined && base64 !== undefined && isMedia(type) ? [{ base64, type }] : undefined;
};

/** A picture or sound as `{base64|data, content_type|mimeType|mime_type}`, or a picture as `{base64, format}`. */
const readMedia = (value: Readonly<Record<string, unknown>>): (Media & { readonly field: string }) | undefined => {
  const type = value.content_type ?? value.mimeType ?? value.mime_type ?? `image/${value.format}`;
  const field = ['base64', 'data'].find((key) => typeof value[key] === 'string');
  if (field === undefined || typeof type !== 'string' || !isMedia(type)) return undefined;
  const base64 = String(value[field]);
  return BASE64.test(base64) ? { field, base64, type } : undefined;
};
