import * as z from 'zod';
import type { ScoreReport } from '../iqa/score.ts';
import { isObject } from '../kernel/json.ts';
import { Lease } from '../kernel/lease.ts';
import { MAX_PICTURE_BYTES } from '../kernel/limits.ts';
import type { Item } from '../kernel/ports.ts';
import { read, stored } from '../kernel/stored.ts';
import { NewKey } from '../model/key.ts';

/** Image types that can be uploaded, with the extension of their keys. */
export const PICTURE_TYPES = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/tiff': 'tif',
  'image/gif': 'gif',
  'image/bmp': 'bmp',
  'image/x-portable-pixmap': 'ppm',
  'image/x-portable-graymap': 'pgm',
} as const;
export type PictureType = keyof typeof PICTURE_TYPES;

/** A single path segment: no folders, no leading dots, no special characters. */
export const ImageKey = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'must be 1 to 128 letters, digits, dots, - or _, beginning with a letter or digit',
  );

/** An upload request. */
export const NewUpload = z.strictObject({
  content_type: z.enum(Object.keys(PICTURE_TYPES) as [PictureType, ...PictureType[]]),
  /** Part of the signed URL if given: an upload of another size is then refused. */
  size: z.int().positive().max(MAX_PICTURE_BYTES).optional(),
  reference_key: ImageKey.optional(),
  tools: z.array(z.string().min(1).max(64)).min(1).max(64).optional(),
  distortions: z.array(z.string().min(1).max(64)).min(1).max(8).optional(),
  /** False for an image that is only stored, to be used by key in later calls. */
  score: z.boolean().optional(),
});
export type NewUpload = Readonly<z.infer<typeof NewUpload>>;

/** A stored upload: who requested it, and its state. */
const Upload = z.object({
  ...NewUpload.shape,
  key: z.string(),
  content_type: z.string().optional(),
  /** The API key that requested it and pays for its scores. */
  key_id: z.string(),
  /** What its access token allowed, where that is not a stored key. */
  login: z.object({ quota: NewKey.shape.quota, tools: z.array(z.string()).optional() }).optional(),
  status: z.enum(['pending', 'scoring', 'scored', 'failed']),
  created_at: z.iso.datetime(),
  /** The version of the object that the status describes. */
  etag: z.string().optional(),
  /** The size of the last version that was counted in the tenant's storage. */
  stored: z.int().optional(),
  sequencer: z.string().optional(),
  /** The id of this version's only call, however often it is attempted. */
  call_id: z.string().optional(),
  /** The attempts, and how many of them failed; the others ended with their process. */
  attempts: z.number().optional(),
  failures: z.number().optional(),
  /** The lease of the process that is scoring it. */
  lease: Lease.optional(),
  /** When it was claimed; written by releases without leases. */
  claimed_at: z.number().optional(),
  /** The delivery that claimed it. */
  claimed_by: z.string().optional(),
  /** Where this version was last sent for scoring. */
  sent: z.object({ etag: z.string(), to: z.string(), at: z.number() }).optional(),
  /** The trace of the request that announced it. */
  traceparent: z.string().optional(),
  report: z.custom<ScoreReport & { readonly charged_micros: number }>(isReport).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type Upload = Readonly<z.infer<typeof Upload>>;

export const UploadItem = stored<Upload>({ what: 'upload', schema: Upload, cure: 'upload the picture again' });

export const readUpload = (item: Item): Upload => read(item, UploadItem);

/** Reports are returned as stored; nothing here depends on their content. */
function isReport(value: unknown): boolean {
  return isObject(value) && isObject(value.image) && Array.isArray(value.scores);
}

/** An image that is only stored is never scored, but may turn out to be no image. */
const shownStatus = (
  status: Upload['status'],
  score: boolean | undefined,
): Exclude<Upload['status'], 'scoring'> | 'unscored' => {
  if (score === false && status !== 'failed') return 'unscored';
  return status === 'scoring' ? 'pending' : status;
};

/** An upload as callers see it. */
export const viewUpload = ({ key, status, score, report, error, created_at, attempts }: Upload) => ({
  key,
  status: shownStatus(status, score),
  created_at,
  attempts,
  image: report?.image,
  scores: report?.scores,
  overall: report?.overall,
  charged_micros: report?.charged_micros,
  error,
});
