import type { RowRange } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { type SharedLuma, shareLuma } from './luma.ts';

/** Shannon entropy of the luma histogram, in bits. */
export const entropy = (histogram: Float64Array): number => {
  const pixels = histogram.reduce((sum, count) => sum + count);
  return histogram.reduce((sum, count) => {
    const share = count / pixels;
    return sum - share * Math.log2(share + 1e-8);
  }, 0);
};

/** The histogram of the luma of some rows. */
export const entropySums = (
  picture: Pixels,
  rows: RowRange,
  luma: SharedLuma = shareLuma(picture, rows),
): Float64Array => {
  const { width, data } = luma();
  const histogram = new Uint32Array(256);
  for (let at = rows.from * width; at < rows.to * width; at++) (histogram[data[at] as number] as number)++;
  return Float64Array.from(histogram);
};
