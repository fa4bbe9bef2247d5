import type { BlobResourceContents, CallToolResult, ResourceLink } from '@modelcontextprotocol/server';
import type { Assay } from '../../../shared/assay.ts';
import { sha256 } from '../../../shared/kernel/canonical-json.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import type { Blobs } from '../../../shared/kernel/ports.ts';

const SCHEME = 'assay://results/';
const NAME = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;

const extensionOf: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/tiff': 'tif',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'application/pdf': 'pdf',
  'application/json': 'json',
};
const typeOf = new Map(Object.entries(extensionOf).map(([type, extension]) => [extension, type]));

/** Whether results of a type are pictures or sounds, which MCP has blocks for. */
export const isMedia = (type: string): boolean =>
  Object.hasOwn(extensionOf, type) && (type.startsWith('image/') || type.startsWith('audio/'));

/** Stores a result that is too large for a model's context, and returns a link to it. */
export const storeResult = async (
  blobs: Blobs,
  tenant: string,
  base64: string,
  mimeType: string,
): Promise<ResourceLink> => {
  const bytes = Buffer.from(base64, 'base64');
  const name = `${sha256(bytes)}.${extensionOf[mimeType] ?? 'bin'}`;
  await blobs.put(resultKey(tenant, name), bytes, mimeType);
  return { type: 'resource_link', uri: SCHEME + name, name, mimeType, size: bytes.length };
};

const MAX_KEPT_BYTES = 300_000;

/** A result that fits the table; a larger one is replaced by a link to it. */
export const linkLongResult = async (
  blobs: Blobs | undefined,
  tenant: string,
  result: CallToolResult,
): Promise<CallToolResult> => {
  const text = Buffer.from(JSON.stringify(result));
  if (text.length <= MAX_KEPT_BYTES || !blobs) return result;
  const link = await storeResult(blobs, tenant, text.toString('base64'), 'application/json');
  const { isError, _meta } = result;
  return { content: [link], isError, _meta };
};

/** The content of a link, for the tenant it was made for. */
export const readLink = async ({ blobs }: Assay, tenant: string, uri: string): Promise<BlobResourceContents> => {
  const name = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : '';
  const bytes = NAME.test(name) ? await blobs?.get(resultKey(tenant, name)) : undefined;
  if (bytes === undefined) throw new Fault('NotFound', `there is no resource ${uri.slice(0, 200)}`, { uri });
  const mimeType = typeOf.get(name.slice(name.indexOf('.') + 1)) ?? 'application/octet-stream';
  return { uri, mimeType, blob: Buffer.from(bytes).toString('base64') };
};

const resultKey = (tenant: string, name: string): string => `results/${tenant}/${name}`;
