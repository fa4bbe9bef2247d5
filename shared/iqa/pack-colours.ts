import type { Feed, Pair } from './metric.ts';
import { blockWidth, type Window } from './strips.ts';

/**
 * Packs x + y - 256 and x - y of windows of both pictures, for red, green and blue, into planes [3, 16, rows, blocks] in
 * which the columns of a block are channels. Reuses the same memory for each call.
 */
export function colourPacker(): (pair: Pair, window: Window) => Readonly<Record<'sum' | 'difference', Feed>> {
  let memory = new Float32Array(0);
  return (pair, window) => {
    const { rows, blocks } = window;
    const length = 3 * blockWidth * rows * blocks;
    if (memory.length < 2 * length) memory = new Float32Array(2 * length);
    const [sum, difference] = [memory.subarray(0, length), memory.subarray(length, 2 * length)];
    for (let row = 0; row < rows; row++) packRow(pair, window, row, sum, difference);
    const shape = [3, blockWidth, rows, blocks];
    return { sum: { type: 'float32', data: sum, shape }, difference: { type: 'float32', data: difference, shape } };
  };
}

// Values beyond the picture are never part of a result, so the memory need not be cleared.
function packRow(pair: Pair, window: Window, row: number, sum: Float32Array, difference: Float32Array): void {
  const { top, left, rows, blocks } = window;
  const { width, data: x } = pair.picture;
  const y = pair.reference.data;
  const plane = rows * blocks;
  const columns = Math.min(blocks * blockWidth, width - left);
  let source = ((top + row) * width + left) * 3;
  for (let column = 0; column < columns; column++) {
    let target = (column & (blockWidth - 1)) * plane + row * blocks + Math.floor(column / blockWidth);
    for (const end = source + 3; source < end; source++, target += plane * blockWidth) {
      const [a, b] = [x[source] as number, y[source] as number];
      sum[target] = a + b - 256;
      difference[target] = a - b;
    }
  }
}
