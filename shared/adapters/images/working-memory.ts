import type { Metadata } from 'sharp';
import type { Size } from '../../iqa/metric.ts';
import { Fault } from '../../kernel/errors.ts';
import type { PictureLimits } from './picture-formats.ts';
import { formatOf, type OutputFormat } from './write-picture.ts';

type Decoded = Pick<Metadata, 'width' | 'height' | 'format' | 'channels' | 'depth' | 'isProgressive' | 'orientation'>;

/**
 * The bytes that a decoder holds of a picture at once, beside what it gives: next to none where it reads row by row,
 * all of it where the format lets it begin only at the end. Measured for each format.
 */
export const bytesToDecode = (picture: Decoded): number => {
  const pixels = picture.width * picture.height;
  const turned = (picture.orientation ?? 1) > 1 ? 3 : 0;
  return pixels * (heldByDecoder(picture) + turned);
};

const heldByDecoder = ({ format, channels, depth, isProgressive }: Decoded): number => {
  if (format === 'heif') return 16;
  if (format === 'gif' || format === 'webp') return 5;
  if (!isProgressive) return depth === 'uchar' ? 0 : 2;
  // A progressive JPEG keeps a coefficient of two bytes for each sample.
  return channels * (format === 'jpeg' || depth === 'ushort' ? 2 : 1);
};

/** What an encoder holds at once for each pixel, measured on flat pictures and noise. */
const HELD_BY_ENCODER: Readonly<Record<OutputFormat, number>> = {
  avif: 24,
  webp: 16,
  gif: 11,
  jpeg: 6,
  png: 4,
  tiff: 4,
};

/** The bytes that a tool's result takes while it is written; one that takes more than there is is refused. */
export const bytesToWrite = (
  args: Readonly<Record<string, unknown>>,
  picture: Decoded,
  { pixels, memory }: PictureLimits,
): number => {
  const { width, height } = resultSize(args, picture);
  const format = formatOf(args.format, picture.format);
  const bytes = width * height * HELD_BY_ENCODER[format];
  if (width * height <= pixels && bytes <= memory) return bytes;
  const most = Math.min(pixels, memory / HELD_BY_ENCODER[format]);
  throw new Fault(
    'TooLarge',
    `the result would have ${width} x ${height} pixels; as ${format} it may have ${Math.floor(most / 1e5) / 10} megapixels: make it smaller`,
    { width, height, format, limit_pixels: Math.floor(most) },
  );
};

/** The size of what `image_resize` makes, or a little more; of what keeps its size, that. */
const resultSize = (args: Readonly<Record<string, unknown>>, { width, height, orientation = 1 }: Decoded): Size => {
  const own = orientation >= 5 ? { width: height, height: width } : { width, height };
  const wanted = { width: sideOf(args.width), height: sideOf(args.height) };
  const scales = [wanted.width / own.width, wanted.height / own.height].filter((scale) => !Number.isNaN(scale));
  if (scales.length === 0) return own;
  const { fit = 'inside' } = args;
  const scale = fit === 'outside' ? Math.max(...scales) : Math.min(...scales);
  const isExact = fit === 'fill' || (scales.length === 2 && (fit === 'cover' || fit === 'contain'));
  const size = isExact
    ? { width: wanted.width || own.width, height: wanted.height || own.height }
    : { width: Math.ceil(own.width * scale), height: Math.ceil(own.height * scale) };
  // What surrounds a contained picture is added whether or not it is enlarged.
  if (args.enlarge === true || fit === 'contain') return size;
  return { width: Math.min(size.width, own.width), height: Math.min(size.height, own.height) };
};

const sideOf = (given: unknown): number => (given === undefined ? Number.NaN : Number(given));
