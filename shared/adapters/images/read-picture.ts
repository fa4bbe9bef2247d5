import type { Metadata, Sharp } from 'sharp';
import { openPlain, type PlainPicture } from '../../iqa/formats/plain-picture.ts';
import { type ReadImage, readImageSource } from '../../iqa/image-source.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';

/** DESIGN's bounds, checked before anything is decoded. */
const MAX_BYTES = 100 * 1024 * 1024;
const MAX_PIXELS = 268_000_000;

export interface OpenPicture {
  readonly bytes: Uint8Array;
  readonly metadata: Metadata;
  /** A new pipeline on it, turned as EXIF says. */
  open(): Sharp;
}

/** Reads a picture's header; what is no picture, or too large a one, is refused. */
export const readPicture = async (
  source: unknown,
  field: string,
  tenant: string,
  readImage: ReadImage,
): Promise<OpenPicture> => {
  const { bytes } = await readImageSource(source, field, tenant, readImage);
  if (bytes.length === 0 || bytes.length > MAX_BYTES)
    throw new Fault(
      bytes.length === 0 ? 'InvalidInput' : 'TooLarge',
      `${field} has ${bytes.length} bytes; a picture has 1 to ${MAX_BYTES}`,
      { field, bytes: bytes.length, limit: MAX_BYTES },
    );
  const sharp = await loadSharp();
  const plain = named(field, () => openPlain(bytes));
  if (plain) return openPixels(sharp, plain, bytes, field);
  const metadata = await headerOf(sharp(bytes, { limitInputPixels: false }), field);
  checkPixels(metadata.width * metadata.height, field);
  return { bytes, metadata, open: () => sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS }).autoOrient() };
};

const checkPixels = (pixels: number, field: string): void => {
  if (pixels > MAX_PIXELS)
    throw new Fault('TooLarge', `${field} has ${pixels} pixels; the limit is ${MAX_PIXELS}`, { field, pixels });
};

/** BMP, PPM and PGM, which libvips does not read here, enter it as pixels. */
const openPixels = (
  sharp: Awaited<ReturnType<typeof loadSharp>>,
  plain: PlainPicture,
  bytes: Uint8Array,
  field: string,
): OpenPicture => {
  const { width, height, format } = plain;
  checkPixels(width * height, field);
  const data = new Uint8Array(width * height * 3);
  named(field, () => plain.read(data));
  const metadata = {
    format,
    width,
    height,
    channels: 3,
    depth: 'uchar',
    space: 'srgb',
    hasAlpha: false,
    hasProfile: false,
  };
  return {
    bytes,
    // The fields that image tools read.
    metadata: metadata as unknown as Metadata,
    open: () => sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: MAX_PIXELS }),
  };
};

const named = <T>(field: string, decode: () => T): T => {
  try {
    return decode();
  } catch (cause) {
    throw cause instanceof Fault ? new Fault(cause.code, `${field} ${cause.message}`, { field }, { cause }) : cause;
  }
};

// libvips takes a tenth of a command's start; only pictures need it.
const loadSharp = async () => (await import('sharp')).default;

const headerOf = async (picture: Sharp, field: string): Promise<Metadata> => {
  try {
    return await picture.metadata();
  } catch (cause) {
    throw notAPicture(field, cause);
  }
};

/** Runs a pipeline; damage that shows only in decoding is the picture's, not the tool's. */
export const decoding = async <T>(field: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof Fault ? cause : notAPicture(field, cause);
  }
};

const notAPicture = (field: string, cause: unknown): Fault => {
  const [line = ''] = messageOf(cause).split('\n');
  return new Fault('InvalidInput', `${field} is not a picture that can be read: ${line}`, { field }, { cause });
};
