import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import type { ImageFile } from './open-images.ts';

/** A picture in a call: the key of an uploaded one, or its bytes. Never a URL, which the server would have to fetch. */
export const ImageSource = z.union([
  z.strictObject({ key: z.string().min(1) }),
  z.strictObject({ base64: z.string().min(1) }),
]);
export type ImageSource = Readonly<z.infer<typeof ImageSource>>;

/** Reads an uploaded picture of a tenant: undefined when there is none; throws the reason when the upload was refused. */
export type ReadImage = (tenant: string, key: string) => Promise<Uint8Array | undefined>;

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Resolves a picture in a call to its bytes, and a name for messages. */
export const readImageSource = async (
  source: unknown,
  field: string,
  tenant: string,
  readImage: ReadImage,
): Promise<ImageFile> => {
  const parsed = ImageSource.safeParse(source);
  if (!parsed.success) {
    const fault = invalidInput(parsed.error, source, field);
    throw new Fault('InvalidInput', `${field} must be {"key": ...} or {"base64": ...}`, { ...fault.details, field });
  }
  if ('key' in parsed.data) {
    const { key } = parsed.data;
    const bytes = await readImage(tenant, key);
    if (bytes) return { bytes, name: key, key };
    throw new Fault('NotFound', `there is no picture ${key}; upload it first by POST /v1/uploads`, { field, key });
  }
  const text = parsed.data.base64.replace(/^data:[^,]*;base64,/, '').replace(/\s+/g, '');
  if (!BASE64.test(text)) throw new Fault('InvalidInput', `${field}.base64 is not base64`, { field });
  return { bytes: Buffer.from(text, 'base64'), name: field === 'image' ? 'the picture' : `the ${field}` };
};
