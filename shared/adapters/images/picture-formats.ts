import type { Metadata, Sharp, SharpConstructor, SharpOptions } from 'sharp';
import { countFrames } from '../../iqa/formats/count-frames.ts';
import { openPlain, type PlainPicture } from '../../iqa/formats/plain-picture.ts';
import type { Size } from '../../iqa/metric.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';
import { bytesToDecode } from './working-memory.ts';

/** The limits of a picture file before it is decoded. */
export interface PictureLimits {
  readonly bytes: number;
  readonly pixels: number;
  /** What one picture may take while it is decoded or written. */
  readonly memory: number;
}

/** 100 MB and 100 megapixels, in 640 MB. */
export const defaultLimits: PictureLimits = { bytes: 100 * 2 ** 20, pixels: 100_000_000, memory: 640 * 2 ** 20 };

/**
 * libvips' readers of what is not accepted, SVG before all, which is a program. Those of accepted formats are never
 * touched: the setting is the process's, and blocking all for a moment would fail what another thread reads in it.
 */
const REFUSED =
  'Analyze Csv Dcraw Fits Jp2k Jxl Magick Magick7 Mat Matrix Nifti Openexr Openslide Pdf Ppm Rad Raw Svg Uhdr Vips';
const READERS = REFUSED.split(' ').map((name) => `VipsForeignLoad${name}`);
const FORMATS: readonly string[] = ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'];
const KNOWN = 'JPEG, PNG, WebP, AVIF, TIFF, GIF, BMP, PPM or PGM';

/** Makes a process read only the formats that are accepted, wherever in it a picture is opened. */
export const restrictFormats = (sharp: Pick<SharpConstructor, 'block' | 'cache'>): void => {
  sharp.block({ operation: READERS });
  // Pictures are read once; libvips' cache of operations would only hold memory.
  sharp.cache(false);
};

// The limit is checked by the header, so that the message can name the picture and the cure.
const header: SharpOptions = { limitInputPixels: false, failOn: 'error' };

/** The header of a picture that can be decoded here, by libvips or as an uncompressed format. */
export type PictureHeader = Size & { readonly format: string } & (
    | { readonly metadata: Metadata; readonly plain?: undefined }
    | { readonly plain: PlainPicture; readonly metadata?: undefined }
  );

/** Reads a picture's header; refuses a file that is no picture, of another format or too large before it is decoded. */
export const readHeader = async (
  open: (bytes: Uint8Array, options: SharpOptions) => Sharp,
  bytes: Uint8Array,
  name: string,
  limits: PictureLimits,
): Promise<PictureHeader> => {
  checkBytes(bytes, name, limits);
  const plain = named(name, () => openPlain(bytes));
  if (plain) {
    checkPixels(plain, name, limits);
    const { width, height, format } = plain;
    return { width, height, format, plain };
  }
  checkFrames(bytes, name);
  const metadata = await open(bytes, header)
    .metadata()
    .catch((thrown: unknown) => {
      const text = `${name} cannot be read as a picture (${firstLine(thrown)}); send ${KNOWN}`;
      throw new Fault('InvalidInput', text, { picture: name }, { cause: thrown });
    });
  const format = detectFormat(metadata, name);
  checkPixels(metadata, name, limits);
  checkMemory(metadata, name, limits);
  const { width, height } = metadata;
  return { width, height, format, metadata };
};

/** The refusal of a decoder, which does not know the name of the picture. */
export const named = <Value>(name: string, decode: () => Value): Value => {
  try {
    return decode();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    throw new Fault(thrown.code, `${name} ${thrown.message}`, { picture: name }, { cause: thrown });
  }
};

const checkBytes = (bytes: Uint8Array, name: string, limits: PictureLimits): void => {
  if (bytes.length === 0)
    throw new Fault('InvalidInput', `${name} is empty; send the bytes of a picture`, { picture: name });
  if (bytes.length <= limits.bytes) return;
  const text = `${name} has ${bytes.length} bytes, the limit is ${limits.bytes}; compress it or make it smaller`;
  throw new Fault('TooLarge', text, { picture: name, bytes: bytes.length, limit: limits.bytes });
};

/** Longer than any animation of minutes; only the first frame or page is ever read. */
const MOST_FRAMES = 10_000;

const checkFrames = (bytes: Uint8Array, name: string): void => {
  if (countFrames(bytes, MOST_FRAMES + 1) <= MOST_FRAMES) return;
  const text = `${name} has more than ${MOST_FRAMES} frames or pages, the limit; send the first one alone`;
  throw new Fault('InvalidInput', text, { picture: name, limit: MOST_FRAMES });
};

const detectFormat = (metadata: Metadata, name: string): string => {
  const format = metadata.format === 'heif' && metadata.compression === 'av1' ? 'avif' : metadata.format;
  if (FORMATS.includes(format)) return format;
  throw new Fault('InvalidInput', `${name} is ${format}, which is not read here; send ${KNOWN}`, {
    picture: name,
    format,
  });
};

/** As in a JPEG. Decoders hold whole rows: one of 99 million pixels took two gigabytes. */
const LONGEST_SIDE = 65_535;

const checkPixels = ({ width, height }: Size, name: string, { pixels }: PictureLimits): void => {
  if (Math.max(width, height) > LONGEST_SIDE) {
    const text = `${name} has ${width} x ${height} pixels, a side may have ${LONGEST_SIDE}; cut it into parts`;
    throw new Fault('InvalidInput', text, { picture: name, width, height, limit: LONGEST_SIDE });
  }
  if (width * height <= pixels) return;
  const text = `${name} has ${width} x ${height} pixels, the limit is ${Math.floor(pixels / 1e6)} megapixels; make it smaller`;
  throw new Fault('InvalidInput', text, { picture: name, width, height, limit_pixels: pixels });
};

const checkMemory = (metadata: Metadata, name: string, { memory }: PictureLimits): void => {
  const bytes = bytesToDecode(metadata);
  if (bytes <= memory) return;
  const [needed, limit] = [bytes, memory].map((each) => Math.ceil(each / 2 ** 20));
  const text = `${name} takes ${needed} MB to decode, the limit is ${limit}; save it without interlacing, with 8 bits a channel, or smaller`;
  throw new Fault('InvalidInput', text, { picture: name, bytes, limit: memory });
};

export const firstLine = (thrown: unknown): string => messageOf(thrown).split('\n')[0] ?? '';
