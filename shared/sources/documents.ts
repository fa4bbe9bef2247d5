import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { sourceDocumentKey } from '../kernel/item-keys.ts';
import type { Table, Write } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';

/** An OpenAPI document that was uploaded with its source; compressed, because an item holds 400 KB. */
export const DocumentItem = stored({
  what: 'OpenAPI document',
  schema: z.object({ gzip: z.string() }),
  cure: 'give the document again',
});

const MAX_PACKED = 350_000;
/** The most bytes that a document may unpack to. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The write that stores a document with its source. */
export const keepDocument = (tenant: string, source: string, document: unknown): Write => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const gzip = gzipSync(text).toString('base64');
  if (gzip.length > MAX_PACKED)
    throw new Fault(
      'TooLarge',
      `the document has ${gzip.length} bytes compressed; the limit is ${MAX_PACKED}: give its url`,
      {
        field: 'document',
        limit: MAX_PACKED,
      },
    );
  return put(sourceDocumentKey(tenant, source), DocumentItem, { gzip });
};

/** The document that was uploaded with a source; undefined when it is fetched from the source's url. */
export const findDocument = async (table: Table, tenant: string, source: string): Promise<string | undefined> => {
  const item = await table.get(sourceDocumentKey(tenant, source));
  if (!item) return undefined;
  const { gzip } = read(item, DocumentItem);
  return gunzipSync(Buffer.from(gzip, 'base64'), { maxOutputLength: MAX_BYTES }).toString();
};
