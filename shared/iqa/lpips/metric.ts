import { lazily } from '../../kernel/lazily.ts';
import type { RowRange, Size, StripMetric } from '../metric.ts';
import { type Tile, tilesOf } from '../strips.ts';
import { blocksOf } from './blocks.ts';
import { buildNetwork, OUTPUTS } from './network.ts';

/** LPIPS 0.1 on AlexNet (Zhang, Isola, Efros, Shechtman and Wang 2018); `metadata/models/README.md` has the notices. */
const weightsFile = {
  name: 'lpips-alex.safetensors',
  sha256: 'eef99a1d5017934615d630d4b0082a299543306160791da24b35ef7ecc62f248',
};

/** How many places a side of each layer lie on one of the last, whose places are the metric's own counting. */
const FINENESS = [4, 2, 1, 1, 1] as const;
const PIXELS_A_PLACE = 16;
// A feature of the last layer reaches 66 pixels up and left and 96 down and right: whole places beyond that.
const PLACES_BEFORE = 5;
const PLACES_AFTER = 6;
/** Places a side of what one run of the network gives at most. The larger, the less of it is border. */
const LARGEST_TILE = 80;
/** What the largest tile takes with its borders: a picture with no more places is one tile, of any form. */
const TILE_PLACES = (LARGEST_TILE + PLACES_BEFORE + PLACES_AFTER) ** 2;

/** Distance of deep features between picture and reference; lower is better, 0 for equal pictures. */
export const lpips: StripMetric = {
  kind: 'strips',
  name: 'lpips',
  minimumSide: 31,
  rowUnit: LARGEST_TILE,
  weightsFile,
  graphs: (weights) => [weights ? buildNetwork(weights) : outline()],
  rows: (size) => layerSizes(size)[4].height,
  async sums(pair, range, runner) {
    const graph = runner.learned(weightsFile, buildNetwork);
    const sizes = layerSizes(pair.picture);
    const totals = new Float64Array(OUTPUTS.length);
    const { width, height } = sizes[4];
    for (const tile of largeTiles(range, width)) {
      const rows = alongOf(tile.top, tile.rows, height, pair.picture.height);
      const columns = alongOf(tile.left, tile.columns, width, pair.picture.width);
      const mapSizes = layerSizes({ width: lengthOf(columns.pixels), height: lengthOf(rows.pixels) });
      const maps = await runner.run(graph, { blocks: blocksOf(pair, rows.pixels, columns.pixels) });
      OUTPUTS.forEach((output, layer) => {
        totals[layer] =
          (totals[layer] as number) +
          ownSum(
            maps[output],
            (mapSizes[layer] as Size).width,
            ownRange(rows, layer, (sizes[layer] as Size).height),
            ownRange(columns, layer, (sizes[layer] as Size).width),
          );
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

/** One side of a tile: its places, and the pixels that they and the borders around them are computed from. */
interface Along {
  readonly places: RowRange;
  readonly pixels: RowRange;
  readonly isLast: boolean;
}

function largeTiles(range: RowRange, width: number): readonly Tile[] {
  const rows = lengthOf(range);
  return rows * width <= TILE_PLACES
    ? tilesOf(range, width, rows, width)
    : tilesOf(range, width, evenly(rows), evenly(width));
}

/** So long that tiles are about alike. */
const evenly = (length: number): number => Math.ceil(length / Math.ceil(length / LARGEST_TILE));

function alongOf(start: number, length: number, all: number, allPixels: number): Along {
  const end = start + length;
  const first = Math.max(0, start - PLACES_BEFORE);
  return {
    places: { from: start, to: end },
    pixels: { from: first * PIXELS_A_PLACE, to: Math.min(allPixels, (end + PLACES_AFTER) * PIXELS_A_PLACE) },
    isLast: end >= all,
  };
}

const lengthOf = ({ from, to }: RowRange): number => to - from;

/** Adds the places of a map that belong to a tile; those past its edges were computed from too little. */
function ownSum(map: Float32Array, width: number, rows: RowRange, columns: RowRange): number {
  let total = 0;
  for (let row = rows.from; row < rows.to; row++) {
    for (let at = row * width + columns.from; at < row * width + columns.to; at++) total += map[at] as number;
  }
  return total;
}

/** Where a tile's own places lie in its map. */
function ownRange({ places, pixels, isLast }: Along, layer: number, all: number): RowRange {
  const fineness = FINENESS[layer] as number;
  const first = (pixels.from / PIXELS_A_PLACE) * fineness;
  return { from: places.from * fineness - first, to: (isLast ? all : places.to * fineness) - first };
}

const outline = lazily(() => buildNetwork());
