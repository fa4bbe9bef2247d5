import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Fault } from '../../shared/kernel/errors.ts';
import { isObject } from '../../shared/kernel/json.ts';
import { PICTURE_TYPES, type PictureType } from '../../shared/uploads/upload.ts';
import { readFault } from '../client/read-fault.ts';
import type { ApiClient } from './client.ts';
import { readNamed } from './read-file.ts';

/** A request may have 4 MB, and Base64 adds a third; larger files are uploaded first. */
const MOST_IN_A_REQUEST = 2_800_000;

/** A picture as an argument: its bytes, or the key of an uploaded one. */
export type PictureArgument = { readonly base64: string } | { readonly key: string };

/** Whether a parameter accepts a picture: one of its alternatives is Base64 data. */
export const takesPicture = (schema: unknown): boolean => {
  if (!isObject(schema)) return false;
  const forms = [schema, ...[schema.oneOf, schema.anyOf].flatMap((each) => (Array.isArray(each) ? each : []))];
  return forms.some((form) => isObject(form) && isObject(form.properties) && 'base64' in form.properties);
};

/** A file as a picture argument. */
export const pictureArgument = async (api: ApiClient, file: string): Promise<PictureArgument> => {
  const bytes = await readNamed(file);
  if (bytes.length <= MOST_IN_A_REQUEST) return { base64: bytes.toString('base64') };
  return { key: await uploadPicture(api, file, bytes) };
};

/** Uploads a picture without scoring it, and returns its key. */
export const uploadPicture = async (api: ApiClient, file: string, bytes: Uint8Array): Promise<string> => {
  const content_type = contentType(file);
  const wish = { content_type, size: bytes.length, score: false };
  const signed = await api.json<{ key: string; url: string; headers: Record<string, string> }>(
    'POST',
    '/v1/uploads',
    wish,
  );
  const put = await api.put(signed.url, { method: 'PUT', headers: signed.headers, body: new Uint8Array(bytes) });
  if (!put.ok) throw await readFault(put);
  return signed.key;
};

export const isFile = async (name: string): Promise<boolean> =>
  (await stat(name).catch(() => undefined))?.isFile() === true;

const EXTENSIONS = new Map<string, PictureType>([
  ...Object.entries(PICTURE_TYPES).map(([type, extension]) => [extension, type as PictureType] as const),
  ['jpeg', 'image/jpeg'],
  ['tiff', 'image/tiff'],
]);

const contentType = (file: string): PictureType => {
  const found = EXTENSIONS.get(extname(file).slice(1).toLowerCase());
  if (found) return found;
  throw new Fault(
    'InvalidInput',
    `${basename(file)} does not tell by its name what picture it is; end it with ${[...EXTENSIONS.keys()].join(', ')}`,
    { file },
  );
};
