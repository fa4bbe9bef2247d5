import type { Planes } from '../pool-planes.ts';
import { kernels } from './kernels.ts';

/**
 * The similarity of gradient and colour at each position, row by row in vector code: three rows of lightness, zero-padded,
 * give the gradient of the middle one.
 */
export const similarities = (x: Planes, y: Planes): Float32Array => {
  const { width, height } = x;
  const { reserve, run } = kernels();
  // A border on both sides, and room for what vectors write past the end.
  const line = width + 8;
  const memory = new Float32Array(reserve(4 * line * ROWS), 0, line * ROWS).fill(0);
  const lightness = (picture: 0 | 1, row: number): number => (6 + 3 * picture + ((row + 3) % 3)) * line;
  const colour = (row: number): number => (12 + (row % 2)) * line;
  const result = 14 * line;
  const bytes = (...places: readonly number[]): readonly number[] => places.map((place) => 4 * place);

  const mix = (row: number): void => {
    [x.red, x.green, x.blue, y.red, y.green, y.blue].forEach((plane, at) => {
      memory.set(plane.subarray(row * width, (row + 1) * width), at * line);
    });
    const [first, second] = [lightness(0, row), lightness(1, row)];
    const inputs = [0, 1, 2, 3, 4, 5].map((at) => at * line);
    run('mix', ...bytes(...inputs, first + 1, second + 1, colour(row), width));
    for (const place of [first, second]) memory[place + width + 1] = 0;
  };
  const clear = (row: number): void => {
    for (const place of [lightness(0, row), lightness(1, row)]) memory.fill(0, place, place + line);
  };

  const out = new Float32Array(width * height);
  mix(0);
  for (let row = 0; row < height; row++) {
    if (row + 1 < height) mix(row + 1);
    else clear(row + 1);
    const around = ([0, 1] as const).flatMap((picture) => [-1, 0, 1].map((step) => lightness(picture, row + step)));
    run('compare', ...bytes(...around, colour(row), result, result + width));
    out.set(memory.subarray(result, result + width), row * width);
  }
  return out;
};

/** Six rows of colours, three of lightness per picture, two of colour similarity, and the result. */
const ROWS = 15;
