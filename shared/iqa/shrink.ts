import type { Pixels } from './pixels.ts';
import { resizePlanes } from './resize.ts';

/** Scales a picture down so that its longer side is at most `side`; a smaller one stays as it is. */
export const shrinkTo = (pixels: Pixels, side: number): Pixels => {
  const factor = Math.min(1, side / Math.max(pixels.width, pixels.height));
  if (factor === 1) return pixels;
  const [width, height] = [pixels.width, pixels.height].map((length) => Math.max(1, Math.round(length * factor))) as [
    number,
    number,
  ];
  const { planes } = resizePlanes(pixels, { width, height, kernel: 'bilinear', antialias: true });
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < data.length; at++)
    data[at] = Math.round((planes[at % 3] as Float32Array)[Math.floor(at / 3)] ?? 0);
  return { width, height, data };
};
