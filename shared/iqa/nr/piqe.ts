import type { RowRange } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { mirrored } from './half-scale.ts';
import { type Plane, type SharedLuma, shareLuma, stretchedLuma } from './luma.ts';
import { mscnRows32 } from './mscn.ts';

const BLOCK = 16;
const RUN = 6;
const ACTIVE = 0.1;
/** Two values this far apart rule out a run: its variance is at least their squared distance over 2 (RUN - 1). */
const FAR = 1.01 * ACTIVE * Math.sqrt(2 * (RUN - 1));

/** Perception-based image quality evaluator, 0 (best) to 100; lower is better. */
export const piqe = ([active = 0, distortion = 0]: Float64Array): number => (100 * (1 + distortion)) / (1 + active);

/** The number of active blocks in some rows of the mirrored picture, and the sum of their distortion. */
export const piqeSums = (
  picture: Pixels,
  rows: RowRange,
  luma: SharedLuma = shareLuma(picture, rows),
): Float64Array => {
  const plane = stretched(picture, rows, luma);
  // Rows past the last whole block are ignored.
  const to = rows.to === picture.height ? plane.height - (plane.height % BLOCK) : rows.to;
  const columns = Math.floor(plane.width / BLOCK);
  const band = new Float32Array(BLOCK * plane.width);
  const block = new Float64Array(BLOCK * BLOCK);
  let active = 0;
  let distortion = 0;
  const visit = (row: Float32Array, y: number): void => {
    band.set(row, (y % BLOCK) * plane.width);
    if (y % BLOCK !== BLOCK - 1) return;
    for (let column = 0; column < columns; column++) {
      copyBlock(band, plane.width, column * BLOCK, block);
      const variance = varianceOf(block, WHOLE);
      if (!(variance > ACTIVE)) continue;
      active++;
      distortion += (isImpaired(block) ? 1 - variance : 0) + (isNoisy(block, variance) ? variance : 0);
    }
  };
  mscnRows32(plane, 'nearest', visit, { from: rows.from, to });
  return Float64Array.of(active, distortion);
};

// Mirrored at the right and bottom by the size modulo the block's side, as in the reference.
const stretched = (picture: Pixels, rows: RowRange, shared: SharedLuma): Plane<Uint8Array> => {
  const { width, height } = picture;
  const luma = stretchedLuma(picture, rows, shared);
  const [wide, high] = [width + (width % BLOCK), height + (height % BLOCK)];
  if (wide === width && high === height) return luma;
  const out = new Uint8Array(wide * high);
  for (let y = 0; y < high; y++) {
    const [from, to] = [mirrored(y, height) * width, y * wide];
    out.set(luma.data.subarray(from, from + width), to);
    for (let x = width; x < wide; x++) out[to + x] = out[to + mirrored(x, width)] as number;
  }
  return { width: wide, height: high, data: out };
};

const copyBlock = (band: Float32Array, stride: number, left: number, block: Float64Array): void => {
  for (let y = 0, at = 0; y < BLOCK; y++) {
    for (let x = y * stride + left, end = x + BLOCK; x < end; x++, at++) block[at] = band[x] as number;
  }
};

const LAST = BLOCK - 1;
const EDGES = [
  { start: 0, step: 1 },
  { start: LAST * BLOCK, step: 1 },
  { start: 0, step: BLOCK },
  { start: LAST, step: BLOCK },
] as const;
const WHOLE = Uint8Array.from({ length: BLOCK * BLOCK }, (_, i) => i);
const CENTRE = WHOLE.filter((i) => i % BLOCK === 7 || i % BLOCK === 8);
// Columns 7 and 9 are left out, not 7 and 8, as in the reference implementation.
const SURROUND = WHOLE.filter((i) => i % BLOCK !== 7 && i % BLOCK !== 9);

/** Whether some run along the block's border is so uniform that it looks like a blocking artefact. */
const isImpaired = (block: Float64Array): boolean => {
  for (const { start, step } of EDGES) {
    const end = start + (BLOCK - RUN) * step;
    for (let first = start; first <= end; first += step) if (isEven(block, first, step)) return true;
  }
  return false;
};

/** Whether the deviation of a run is below the threshold; tests two values first, which rules out most runs. */
const isEven = (block: Float64Array, first: number, step: number): boolean => {
  const end = first + RUN * step;
  const middle = block[first + (RUN >> 1) * step] as number;
  if (Math.abs((block[first] as number) - middle) > FAR) return false;
  let sum = 0;
  for (let at = first; at < end; at += step) sum += block[at] as number;
  const mean = sum / RUN;
  let squares = 0;
  for (let at = first; at < end; at += step) {
    const distance = (block[at] as number) - mean;
    squares += distance * distance;
  }
  return Math.sqrt(squares / (RUN - 1)) < ACTIVE;
};

const isNoisy = (block: Float64Array, variance: number): boolean => {
  const sigma = Math.sqrt(variance);
  const quotient = Math.sqrt(varianceOf(block, CENTRE)) / Math.sqrt(varianceOf(block, SURROUND));
  const ratio = Number.isNaN(quotient) ? 0 : quotient;
  return sigma > (2 * Math.abs(sigma - ratio)) / Math.max(sigma, ratio);
};

const varianceOf = (values: Float64Array, indices: Uint8Array): number => {
  const count = indices.length;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += values[indices[i] as number] as number;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < count; i++) {
    const distance = (values[indices[i] as number] as number) - mean;
    squares += distance * distance;
  }
  return squares / (count - 1);
};
