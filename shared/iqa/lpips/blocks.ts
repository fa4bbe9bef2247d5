import type { Feed, Pair, RowRange, Size } from '../metric.ts';
import type { Pixels } from '../pixels.ts';

/** Blocks of this side become channels: the stride of the first convolution. */
export const BLOCK = 4;
/** Zero padding around a picture. */
const BORDER = 2;

// LPIPS' input normalisation: mean and deviation of red, green and blue in [-1, 1].
const SHIFT = [-0.03, -0.088, -0.188];
const SCALE = [0.458, 0.448, 0.45];

const normalised = SHIFT.map((shift, channel) =>
  Float32Array.from({ length: 256 }, (_, byte) => ((2 * byte) / 255 - 1 - shift) / (SCALE[channel] as number)),
);

/** A rectangle of both pictures, normalised and zero-padded: [2, 48, rows / 4, columns / 4]. */
export function blocksOf({ picture, reference }: Pair, rows: RowRange, columns: RowRange): Feed {
  const size = { height: blocksAlong(rows.to - rows.from), width: blocksAlong(columns.to - columns.from) };
  const channels = 3 * BLOCK * BLOCK;
  const data = new Float32Array(2 * channels * size.height * size.width);
  const half = data.length / 2;
  fill(picture, rows, columns, data.subarray(0, half), size);
  fill(reference, rows, columns, data.subarray(half), size);
  return { type: 'float32', data, shape: [2, channels, size.height, size.width] };
}

// The first convolution covers 11 x 11 pixels: three blocks of four, whose last row and column have zero weight.
const blocksAlong = (length: number): number => Math.floor((length + 2 * BORDER - 11) / BLOCK) + 3;

function fill({ width, data }: Pixels, rows: RowRange, columns: RowRange, planes: Float32Array, blocks: Size): void {
  const size = blocks.height * blocks.width;
  for (let row = rows.from; row < rows.to; row++) {
    const [block, down] = divide(row - rows.from + BORDER);
    if (block >= blocks.height) break;
    for (let first = 0; first < BLOCK; first++) {
      const [skipped, right] = divide(first + BORDER);
      const end = Math.min(blocks.width, Math.ceil((columns.to - columns.from - first) / BLOCK) + skipped);
      for (let channel = 0; channel < 3; channel++) {
        const table = normalised[channel] as Float32Array;
        const start = ((down * BLOCK + right) * 3 + channel) * size + block * blocks.width;
        let source = (row * width + columns.from + first) * 3 + channel;
        for (let at = start + skipped; at < start + end; at++, source += 3 * BLOCK) {
          planes[at] = table[data[source] as number] as number;
        }
      }
    }
  }
}

const divide = (place: number): readonly [block: number, within: number] => [Math.floor(place / BLOCK), place % BLOCK];
