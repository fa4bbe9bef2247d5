import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import type { Pixels } from '../../iqa/pixels.ts';

// libvips' own format: a header of 64 bytes, then the pixels as they are.
const headerLength = 64;
const chunkLength = 2 ** 24;

/** Shared memory of that many bytes. */
export type Allocate = (length: number) => Uint8Array;

/** Decodes through a temporary file: libvips writes it strip by strip, so that only one copy is ever in memory. */
export async function spoolPixels(image: Sharp, allocate: Allocate): Promise<Pixels> {
  const path = join(tmpdir(), `assay-${randomUUID()}.v`);
  try {
    const { width, height, channels } = await image.toFile(path);
    if (channels !== 3) throw new Error(`${channels} channels instead of 3`);
    return { width, height, data: await readSpooled(allocate(width * height * 3), path) };
  } finally {
    await rm(path, { force: true });
  }
}

/** Reads the pixels of a file into memory. */
export async function readSpooled(shared: Uint8Array, path: string): Promise<Uint8Array> {
  const { length } = shared;
  const file = await open(path, 'r');
  try {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await file.read(shared, done, Math.min(chunkLength, length - done), headerLength + done);
      if (bytesRead === 0) throw new Error(`the temporary file ends after ${done} of ${length} bytes`);
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
  return shared;
}
