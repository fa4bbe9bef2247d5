import type { Metadata, Sharp, SharpConstructor } from 'sharp';
import type { PlainPicture } from '../../iqa/formats/plain-picture.ts';
import { type ReadImage, readImageSource } from '../../iqa/image-source.ts';
import { Fault } from '../../kernel/errors.ts';
import { firstLine, named, type PictureLimits, readHeader, restrictFormats } from './picture-formats.ts';

export interface OpenPicture {
  readonly bytes: Uint8Array;
  readonly metadata: Metadata;
  /** A new pipeline on it, rotated by its EXIF orientation; libvips stops it on timeout. */
  open(): Sharp;
}

/** Less than the time-out of the tools, so that a pipeline never outlives its call by long. */
const SECONDS = 50;

/** Reads a picture's header; refuses a file that is no picture or too large. */
export const readPicture = async (
  source: unknown,
  field: string,
  tenant: string,
  readImage: ReadImage,
  limits: PictureLimits,
): Promise<OpenPicture> => {
  const { bytes } = await readImageSource(source, field, tenant, readImage);
  const sharp = await loadSharp();
  const { metadata, plain } = await readHeader(sharp, bytes, field, limits);
  if (plain) return openPlainPicture(sharp, plain, bytes, field);
  const open = () =>
    sharp(bytes, { failOn: 'error', limitInputPixels: limits.pixels }).timeout({ seconds: SECONDS }).autoOrient();
  return { bytes, metadata, open };
};

/** BMP, PPM and PGM, which libvips does not read here, enter it as pixels. */
const openPlainPicture = (
  sharp: SharpConstructor,
  plain: PlainPicture,
  bytes: Uint8Array,
  field: string,
): OpenPicture => {
  const { width, height, format } = plain;
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
  const open = (): Sharp => {
    const data = new Uint8Array(width * height * 3);
    named(field, () => plain.read(data));
    return sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false });
  };
  // The fields that image tools read.
  return { bytes, metadata: metadata as unknown as Metadata, open };
};

// libvips takes a tenth of a command's start; only pictures need it.
const loadSharp = async (): Promise<SharpConstructor> => {
  const { default: sharp } = await import('sharp');
  restrictFormats(sharp);
  return sharp;
};

/** Runs a pipeline; damage that shows only in decoding is the picture's, not the tool's. */
export const decoding = async <T>(field: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const text = `${field} cannot be read as a picture: ${firstLine(cause)}`;
    throw new Fault('InvalidInput', text, { field }, { cause });
  }
};
