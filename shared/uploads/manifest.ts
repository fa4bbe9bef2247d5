import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import type { StoredObject } from './claim.ts';
import { ImageKey } from './upload.ts';

/** The images that a batch-worker job has to score. */
export const Manifest = z.strictObject({
  v: z.literal(1),
  images: z
    .array(
      z.strictObject({
        tenant: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/),
        key: ImageKey,
        etag: z.string().max(200),
        sequencer: z.string().max(64).optional(),
        size: z.int().nonnegative().optional(),
      }),
    )
    .min(1)
    .max(100_000),
});
export type Manifest = Readonly<z.infer<typeof Manifest>>;

export const writeManifest = (objects: readonly StoredObject[]): Uint8Array => {
  const images = objects.map(({ tenant, key, etag, sequencer, size }) => ({ tenant, key, etag, sequencer, size }));
  return new TextEncoder().encode(JSON.stringify({ v: 1, images } satisfies Manifest));
};

export const readManifest = (bytes: Uint8Array | undefined, path: string): Manifest => {
  if (!bytes) throw new Fault('NotFound', `there is no manifest ${path}`, { manifest: path });
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new Fault('InvalidInput', `the manifest ${path} is not JSON`, { manifest: path }, { cause });
  }
  const parsed = Manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault('InvalidInput', `the manifest ${path}: ${issue?.path.join('.')} ${issue?.message}`, {
    manifest: path,
  });
};
