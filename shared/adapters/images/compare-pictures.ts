import { objectSchema } from '../../execute/builtins/builtin.ts';
import { nextTurn } from '../../kernel/end-of-turn.ts';
import { Fault } from '../../kernel/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { decoding, type OpenPicture } from './read-picture.ts';

const number = { type: 'number' };
const integer = { type: 'integer' };

export const comparisonSchema = objectSchema(
  {
    identical: { type: 'boolean' },
    width: integer,
    height: integer,
    different_pixels: integer,
    different_share: { ...number, description: 'From 0 to 1.' },
    mean_difference: { ...number, description: 'Per colour channel, from 0 to 255.' },
    largest_difference: integer,
    psnr_db: { type: ['number', 'null'], description: 'Null when the pictures are the same.' },
    box: { ...objectSchema({ left: integer, top: integer, width: integer, height: integer }) },
  },
  ['box'],
);

/** Both in memory as RGBA: at most so many pixels each. */
const MAX_PIXELS = 40_000_000;
/** Rows are compared in strips, so that other calls get their turn in between. */
const STRIP_PIXELS = 500_000;

/** What differs between two pictures of the same size. */
export const comparePictures = async (one: OpenPicture, other: OpenPicture, tolerance: number) => {
  const [a, b] = await Promise.all([readPixels(one, 'image'), readPixels(other, 'reference')]);
  const { width, height } = a;
  if (width !== b.width || height !== b.height)
    throw new Fault('InvalidInput', `image is ${width} x ${height}, reference ${b.width} x ${b.height}; resize one`, {
      field: 'reference',
    });
  const found = await differences(a, b, tolerance);
  const values = width * height * 4;
  const isSame = found.squares === 0;
  return omitUndefined({
    identical: isSame,
    width,
    height,
    different_pixels: found.pixels,
    different_share: found.pixels / (width * height),
    mean_difference: found.sum / values,
    largest_difference: found.largest,
    psnr_db: isSame ? null : 10 * Math.log10((255 * 255 * values) / found.squares),
    box: found.pixels === 0 ? undefined : boundingBox(found),
  });
};

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const readPixels = async ({ open, metadata }: OpenPicture, field: string): Promise<Pixels> => {
  if (metadata.width * metadata.height > MAX_PIXELS)
    throw new Fault('TooLarge', `${field} has more than ${MAX_PIXELS} pixels; make it smaller to compare it`, {
      field,
    });
  const raw = open().toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' });
  const { data, info } = await decoding(field, raw.toBuffer({ resolveWithObject: true }));
  return { width: info.width, height: info.height, data };
};

interface Found {
  pixels: number;
  sum: number;
  squares: number;
  largest: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const differences = async (a: Pixels, b: Pixels, tolerance: number): Promise<Found> => {
  const found: Found = { pixels: 0, sum: 0, squares: 0, largest: 0, left: a.width, top: a.height, right: 0, bottom: 0 };
  const rows = Math.max(1, Math.floor(STRIP_PIXELS / a.width));
  for (let top = 0; top < a.height; top += rows) {
    addStrip(found, a, b, tolerance, top, Math.min(a.height, top + rows));
    await nextTurn();
  }
  return found;
};

const addStrip = (found: Found, a: Pixels, b: Pixels, tolerance: number, top: number, end: number): void => {
  let at = top * a.width * 4;
  for (let y = top; y < end; y++)
    for (let x = 0; x < a.width; x++) {
      let most = 0;
      for (let channel = 0; channel < 4; channel++, at++) {
        const off = Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0));
        found.sum += off;
        found.squares += off * off;
        if (off > most) most = off;
      }
      if (most > found.largest) found.largest = most;
      if (most > tolerance) addPixel(found, x, y);
    }
};

const addPixel = (found: Found, x: number, y: number): void => {
  found.pixels++;
  if (x < found.left) found.left = x;
  if (x > found.right) found.right = x;
  if (y < found.top) found.top = y;
  if (y > found.bottom) found.bottom = y;
};

const boundingBox = ({ left, top, right, bottom }: Found) => ({
  left,
  top,
  width: right - left + 1,
  height: bottom - top + 1,
});
