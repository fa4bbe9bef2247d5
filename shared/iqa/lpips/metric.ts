import { lazily } from '../../kernel/lazily.ts';
import type { RowRange, Size, StripMetric } from '../metric.ts';
import { blocksOf } from './blocks.ts';
import { buildNetwork, OUTPUTS } from './network.ts';

/** LPIPS 0.1 on AlexNet (Zhang, Isola, Efros, Shechtman and Wang 2018); `metadata/models/README.md` has the notices. */
const weightsFile = {
  name: 'lpips-alex.safetensors',
  sha256: 'eef99a1d5017934615d630d4b0082a299543306160791da24b35ef7ecc62f248',
};

/** How many rows of each layer lie on one row of the last, whose rows are the metric's own counting. */
const FINENESS = [4, 2, 1, 1, 1] as const;
const PIXELS_A_ROW = 16;
// A feature of the last layer reaches 66 pixels up and 96 down: whole rows beyond that.
const ROWS_ABOVE = 5;
const ROWS_BELOW = 6;
/** Rows of a tile, borders among them, times the columns of a picture: what one run of the network may take, 0.45 GB. */
const TILE_AREA = 140_000;
const LEAST_TILE = 16;

// The wider a tile, the less of it is border; a small picture is one.
const tileRows = ({ width }: Size): number =>
  Math.max(LEAST_TILE, Math.floor(TILE_AREA / width) - ROWS_ABOVE - ROWS_BELOW);

/** Distance of deep features between picture and reference; lower is better, 0 for equal pictures. */
export const lpips: StripMetric = {
  kind: 'strips',
  name: 'lpips',
  minimumSide: 31,
  rowUnit: LEAST_TILE,
  weightsFile,
  graphs: (weights) => [weights ? buildNetwork(weights) : outline()],
  rows: (size) => layerSizes(size)[4].height,
  async sums(pair, range, runner) {
    const graph = runner.learned(weightsFile, buildNetwork);
    const sizes = layerSizes(pair.picture);
    const totals = new Float64Array(OUTPUTS.length);
    const tile = tileRows(pair.picture);
    for (let from = range.from; from < range.to; from += tile) {
      const rows = { from, to: Math.min(range.to, from + tile) };
      const first = Math.max(0, from - ROWS_ABOVE);
      const pixelRows = { from: first * PIXELS_A_ROW, to: (rows.to + ROWS_BELOW) * PIXELS_A_ROW };
      const maps = await runner.run(graph, { blocks: blocksOf(pair, pixelRows) });
      OUTPUTS.forEach((output, layer) => {
        totals[layer] = (totals[layer] as number) + sumRows(maps[output], layer, rows, first, sizes);
      });
    }
    return totals;
  },
  finish: (totals, size) =>
    layerSizes(size).reduce((sum, { width, height }, layer) => sum + (totals[layer] as number) / (width * height), 0),
};

type Sizes = readonly [Size, Size, Size, Size, Size];

function layerSizes({ width, height }: Size): Sizes {
  const first = { width: Math.floor((width - 7) / 4) + 1, height: Math.floor((height - 7) / 4) + 1 };
  const second = pooled(first);
  const last = pooled(second);
  return [first, second, last, last, last];
}

const pooled = ({ width, height }: Size): Size => ({
  width: Math.floor((width - 3) / 2) + 1,
  height: Math.floor((height - 3) / 2) + 1,
});

/** Adds the rows of a layer that belong to a tile; those past its edges were computed from too little. */
function sumRows(map: Float32Array, layer: number, rows: RowRange, first: number, sizes: Sizes): number {
  const fineness = FINENESS[layer] as number;
  const isLast = rows.to >= sizes[4].height;
  const from = (rows.from - first) * fineness;
  const { width, height } = sizes[layer] as Size;
  const end = isLast ? height - first * fineness : (rows.to - first) * fineness;
  let total = 0;
  for (let at = from * width; at < end * width; at++) total += map[at] as number;
  return total;
}

const outline = lazily(() => buildNetwork());
