import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph } from '../graph.ts';
import type { Feed, GraphRunner, Size } from '../metric.ts';
import { blockWidth, copyTile, type Tile, tilesOf } from '../strips.ts';
import { toPolyphase } from './gaussian.ts';

/** One channel of float32 values, row by row. */
export interface Plane extends Size {
  readonly data: Float32Array;
}

/** A square kernel correlated with a plane whose border is mirrored without repeating it. */
export interface PlaneFilter {
  readonly side: number;
  readonly stride: number;
  graph(): BuiltGraph<'filtered'>;
}

/** A filter with an odd side up to 17; `stride` 2 keeps every second row and column, from the first on. */
export function planeFilter(name: string, kernel: readonly number[], stride: 1 | 2 = 1): PlaneFilter {
  const side = Math.sqrt(kernel.length);
  return { side, stride, graph: lazily(() => build(name, kernel, side, stride)) };
}

/** The filtered plane, tile by tile. */
export async function filterPlane(plane: Plane, filter: PlaneFilter, runner: GraphRunner): Promise<Plane> {
  const width = Math.ceil(plane.width / filter.stride);
  const height = Math.ceil(plane.height / filter.stride);
  const data = new Float32Array(width * height);
  for (const tile of tilesOf({ from: 0, to: height }, width)) {
    const { filtered } = await runner.run(filter.graph(), { plane: packTile(plane, tile, filter) });
    copyTile(filtered, tile, data, width);
  }
  return { width, height, data };
}

// Columns are channels, so the kernel becomes one dense matrix for each of its rows and for two neighbouring blocks.
function build(name: string, kernel: readonly number[], side: number, stride: number): BuiltGraph<'filtered'> {
  const graph = createGraph(name);
  const lanes = blockWidth / stride;
  const weights = new Float32Array(lanes * blockWidth * side * 2);
  for (let lane = 0; lane < lanes; lane++) {
    for (let row = 0; row < side; row++) {
      for (let column = 0; column < side; column++) {
        const source = lane * stride + column;
        const input = (lane * blockWidth + (source % blockWidth)) * side + row;
        weights[2 * input + Math.floor(source / blockWidth)] = kernel[row * side + column] as number;
      }
    }
  }
  const plane = toPolyphase(graph, graph.input('plane', 'float32', [1, 'rows', 'blocks', blockWidth]));
  const options = { strides: [stride, 1] };
  const filtered = graph.conv(plane, graph.constant(weights, [lanes, blockWidth, side, 2]), options);
  const rowMajor = graph.op('Transpose', [filtered], { perm: [0, 2, 3, 1] });
  return graph.build({ filtered: { value: rowMajor, shape: [1, 'rows_out', 'blocks_out', lanes] } });
}

function packTile({ width, height, data }: Plane, tile: Tile, { side, stride }: PlaneFilter): Feed {
  const margin = (side - 1) / 2;
  const rows = (tile.rows - 1) * stride + side;
  const blocks = Math.ceil((tile.columns * stride) / blockWidth) + 1;
  const line = blocks * blockWidth;
  const packed = new Float32Array(rows * line);
  const left = tile.left * stride - margin;
  const filled = Math.min(line, width + margin - left);
  const [from, to] = [Math.max(0, -left), Math.min(filled, width - left)];
  for (let row = 0; row < rows; row++) {
    const source = mirrored(tile.top * stride - margin + row, height) * width;
    const target = row * line;
    packed.set(data.subarray(source + left + from, source + left + to), target + from);
    for (let column = 0; column < from; column++)
      packed[target + column] = data[source + mirrored(left + column, width)] as number;
    for (let column = to; column < filled; column++)
      packed[target + column] = data[source + mirrored(left + column, width)] as number;
  }
  return { type: 'float32', data: packed, shape: [1, rows, blocks, blockWidth] };
}

const mirrored = (index: number, length: number): number => {
  const positive = Math.abs(index);
  return positive < length ? positive : 2 * (length - 1) - positive;
};
