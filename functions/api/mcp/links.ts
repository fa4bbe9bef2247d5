import type { BlobResourceContents, ResourceLink } from '@modelcontextprotocol/server';
import type { Assay } from '../../../shared/assay.ts';
import { sha256 } from '../../../shared/kernel/canonical-json.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Blobs } from '../../../shared/kernel/ports.ts';

/** Base64 beyond this many characters goes to the store, and the model gets a link. */
const MAX_INLINE = 16_384;
const MAX_DEPTH = 8;
const SCHEME = 'assay://results/';
const NAME = /^[0-9a-f]{64}\.[a-z0-9]{1,8}$/;

const extensionOf: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/tiff': 'tif',
};
const typeOf = new Map(Object.entries(extensionOf).map(([type, extension]) => [extension, type]));

interface Linked {
  readonly output: unknown;
  readonly links: readonly ResourceLink[];
}

/** Stores the pictures inside an output and puts links in their place: bulk does not belong into a context. */
export const linkBulk = async (blobs: Blobs | undefined, tenant: string, output: unknown): Promise<Linked> => {
  if (blobs === undefined) return { output, links: [] };
  const links: ResourceLink[] = [];
  const store = async (base64: string, type: string): Promise<ResourceLink> => {
    const bytes = Buffer.from(base64, 'base64');
    const name = `${sha256(bytes)}.${extensionOf[type] ?? 'bin'}`;
    await blobs.put(keyOf(tenant, name), bytes, type);
    const link: ResourceLink = { type: 'resource_link', uri: SCHEME + name, name, mimeType: type, size: bytes.length };
    links.push(link);
    return link;
  };
  return { output: await replace(output, store, 0), links };
};

type Store = (base64: string, type: string) => Promise<ResourceLink>;

const replace = async (value: unknown, store: Store, depth: number): Promise<unknown> => {
  if (typeof value === 'string') {
    const [, type, base64] = value.length > MAX_INLINE ? (/^data:([\w/+.-]+);base64,(.*)$/s.exec(value) ?? []) : [];
    return type === undefined || base64 === undefined ? value : (await store(base64, type)).uri;
  }
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => replace(item, store, depth + 1)));
  if (!isObject(value)) return value;
  const bulk = bulkOf(value);
  if (bulk) return replaced(value, bulk, await store(bulk.base64, bulk.type));
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await replace(item, store, depth + 1)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
};

interface Bulk {
  readonly field: string;
  readonly base64: string;
  readonly type: string;
}

/** A picture as `{base64|data, content_type|mimeType|mime_type}`. */
const bulkOf = (value: Readonly<Record<string, unknown>>): Bulk | undefined => {
  const type = value.content_type ?? value.mimeType ?? value.mime_type;
  const field = ['base64', 'data'].find((key) => typeof value[key] === 'string');
  const base64 = field === undefined ? '' : String(value[field]);
  if (field === undefined || typeof type !== 'string' || !Object.hasOwn(extensionOf, type)) return undefined;
  return base64.length > MAX_INLINE ? { field, base64, type } : undefined;
};

const replaced = (value: Readonly<Record<string, unknown>>, { field }: Bulk, link: ResourceLink): unknown => {
  if (value.type === 'image') return { type: 'text', text: `the picture is at ${link.uri}` };
  const { [field]: _, ...rest } = value;
  return { ...rest, uri: link.uri, bytes: link.size };
};

/** What a link leads to, for the tenant that it was made for. */
export const readLink = async ({ blobs }: Assay, tenant: string, uri: string): Promise<BlobResourceContents> => {
  const name = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : '';
  const bytes = NAME.test(name) ? await blobs?.get(keyOf(tenant, name)) : undefined;
  if (bytes === undefined) throw new Fault('NotFound', `there is no resource ${uri.slice(0, 200)}`, { uri });
  const mimeType = typeOf.get(name.slice(name.indexOf('.') + 1)) ?? 'application/octet-stream';
  return { uri, mimeType, blob: Buffer.from(bytes).toString('base64') };
};

const keyOf = (tenant: string, name: string): string => `results/${tenant}/${name}`;
