import type { Pixels } from '../pixels.ts';
import { lumaBytes } from './luma.ts';

/** Shannon entropy of the luma histogram, in bits. */
export const entropy = (picture: Pixels): number => {
  const luma = lumaBytes(picture).data;
  const histogram = new Float64Array(256);
  for (let i = 0; i < luma.length; i++) (histogram[luma[i] as number] as number)++;
  return histogram.reduce((sum, count) => {
    const share = count / luma.length;
    return sum - share * Math.log2(share + 1e-8);
  }, 0);
};
