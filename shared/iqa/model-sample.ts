import type { Picture } from './engine.ts';
import type { Size } from './metric.ts';

/** Two sizes, to detect a network that takes only one. */
export const SAMPLE_SIZES: readonly Size[] = [
  { width: 320, height: 256 },
  { width: 256, height: 384 },
];

/** Slopes and waves in three colours with some noise: the same in every process, and in the exporting script. */
export const samplePicture = (noise: number, { width, height }: Size): Picture => {
  const data = new Uint8Array(new SharedArrayBuffer(width * height * 3));
  let state = 1;
  for (let at = 0; at < data.length; at++) {
    const [x, y, channel] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width), at % 3];
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const wave = 50 * Math.sin(x / (7 + 3 * channel)) * Math.cos(y / 11);
    data[at] = 128 + wave + (x - width / 2) / 5 + noise * (state / 2 ** 31 - 1);
  }
  return { name: 'the sample picture', format: 'raw', pixels: { width, height, data }, notes: [] };
};
