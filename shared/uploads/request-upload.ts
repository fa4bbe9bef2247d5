import { requireScope } from '../access/scopes.ts';
import { isPrincipal } from '../access/token-actor.ts';
import { Fault } from '../kernel/errors.ts';
import { imageBlobKey, uploadKey } from '../kernel/item-keys.ts';
import { MAX_PICTURE_BYTES } from '../kernel/limits.ts';
import type { Table } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { currentTraceparent } from '../kernel/trace.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import type { Actor } from '../model/key.ts';
import { RETENTION_SECONDS, reserveStorage, type StorageContext, UPLOAD_URL_SECONDS } from './storage.ts';
import { NewUpload, PICTURE_TYPES, type Upload, UploadItem, viewUpload } from './upload.ts';

/** A signed URL that accepts one image, with the headers that are part of the signature. */
export interface SignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expires_at: string;
}

/** Signs a URL for one blob, bound to its type and, where known, its size. */
export type SignPut = (
  path: string,
  options: { readonly contentType: string; readonly size?: number | undefined; readonly seconds: number },
) => Promise<SignedPut>;

/** The headers that a signed URL must be used with. */
export const putHeaders = (contentType: string, size: number | undefined): Readonly<Record<string, string>> =>
  size === undefined
    ? { 'content-type': contentType }
    : { 'content-type': contentType, 'content-length': String(size) };

/** Requests an upload: the image's key, and where to put its bytes. */
export const requestUpload = async (
  context: StorageContext & { readonly signPut: SignPut },
  actor: Actor,
  input: unknown,
): Promise<SignedPut & { readonly key: string }> => {
  requireScope(actor, 'invoke');
  const { table, clock, signPut } = context;
  const parsed = NewUpload.safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error, input, 'the upload');
  const wish = parsed.data;
  if (wish.reference_key !== undefined && !(await table.get(uploadKey(actor.tenant, wish.reference_key))))
    throw new Fault('NotFound', `there is no picture ${wish.reference_key}; upload the reference first`, {
      field: 'reference_key',
      value: wish.reference_key,
    });
  const now = clock.now();
  // Without a size, the upload may be as large as allowed.
  await reserveStorage(context, actor.tenant, wish.size ?? MAX_PICTURE_BYTES);
  const key = `${clock.newId().toLowerCase()}.${PICTURE_TYPES[wish.content_type]}`;
  const upload: Upload = {
    ...wish,
    key,
    key_id: actor.keyId,
    login: isPrincipal(actor.keyId) ? { quota: actor.key?.quota, tools: actor.tools && [...actor.tools] } : undefined,
    status: 'pending',
    created_at: new Date(now).toISOString(),
    traceparent: currentTraceparent(),
  };
  await table.write([
    put(uploadKey(actor.tenant, key), UploadItem, upload, Math.floor(now / 1000) + RETENTION_SECONDS),
  ]);
  const signed = await signPut(imageBlobKey(actor.tenant, key), {
    contentType: wish.content_type,
    size: wish.size,
    seconds: UPLOAD_URL_SECONDS,
  });
  return { key, ...signed };
};

/** The state of an uploaded image. */
export const uploadedImage = async (
  { table }: { readonly table: Table },
  actor: Actor,
  key: string,
): Promise<ReturnType<typeof viewUpload>> => {
  requireScope(actor, 'read');
  const item = await table.get(uploadKey(actor.tenant, key));
  if (item) return viewUpload(read(item, UploadItem));
  throw new Fault('NotFound', `there is no picture ${key}; request an upload by POST /v1/uploads`, { key });
};
