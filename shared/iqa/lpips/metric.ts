import { lazily } from '../../kernel/lazily.ts';
import type { RowRange, Size, StripMetric } from '../metric.ts';
import { type Tile, tilesOf } from '../strips.ts';
import { blocksOf } from './blocks.ts';
import { buildNetwork, OUTPUTS } from './network.ts';

/** LPIPS 0.1 on AlexNet (Zhang, Isola, Efros, Shechtman and Wang 2018); licences are in `metadata/models/README.md`. */
const weightsFile = {
  name: 'lpips-alex.safetensors',
  sha256: 'eef99a1d5017934615d630d4b0082a299543306160791da24b35ef7ecc62f248',
};

/** Positions of each layer per position of the last one, along one side. The metric counts rows by the last layer. */
const FINENESS = [4, 2, 1, 1, 1] as const;
const PIXELS_PER_POSITION = 16;
// The receptive field of the last layer reaches 66 pixels up and left and 96 down and right: rounded up to positions.
const POSITIONS_BEFORE = 5;
const POSITIONS_AFTER = 6;
/** The longest side of a tile in positions: the larger a tile, the smaller the share of its border. */
const LARGEST_TILE = 80;
/** The largest tile with its borders: a picture with no more positions is one tile, whatever its shape. */
const TILE_POSITIONS = (LARGEST_TILE + POSITIONS_BEFORE + POSITIONS_AFTER) ** 2;

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
      const rows = tileAlong(tile.top, tile.rows, height, pair.picture.height);
      const columns = tileAlong(tile.left, tile.columns, width, pair.picture.width);
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

/** A tile along one axis: its positions, and the pixels (with borders) that they are computed from. */
interface TileAxis {
  readonly positions: RowRange;
  readonly pixels: RowRange;
  readonly isLast: boolean;
}

function largeTiles(range: RowRange, width: number): readonly Tile[] {
  const rows = lengthOf(range);
  return rows * width <= TILE_POSITIONS
    ? tilesOf(range, width, rows, width)
    : tilesOf(range, width, evenTileSide(rows), evenTileSide(width));
}

/** The side that divides a length into tiles of about the same size. */
const evenTileSide = (length: number): number => Math.ceil(length / Math.ceil(length / LARGEST_TILE));

function tileAlong(start: number, length: number, all: number, allPixels: number): TileAxis {
  const end = start + length;
  const first = Math.max(0, start - POSITIONS_BEFORE);
  return {
    positions: { from: start, to: end },
    pixels: {
      from: first * PIXELS_PER_POSITION,
      to: Math.min(allPixels, (end + POSITIONS_AFTER) * PIXELS_PER_POSITION),
    },
    isLast: end >= all,
  };
}

const lengthOf = ({ from, to }: RowRange): number => to - from;

/** The sum of a tile's own positions in its map; those beyond its edges lack pixels of their receptive field. */
function ownSum(map: Float32Array, width: number, rows: RowRange, columns: RowRange): number {
  let total = 0;
  for (let row = rows.from; row < rows.to; row++) {
    for (let at = row * width + columns.from; at < row * width + columns.to; at++) total += map[at] as number;
  }
  return total;
}

/** The range of a tile's own positions in its map. */
function ownRange({ positions, pixels, isLast }: TileAxis, layer: number, all: number): RowRange {
  const fineness = FINENESS[layer] as number;
  const first = (pixels.from / PIXELS_PER_POSITION) * fineness;
  return { from: positions.from * fineness - first, to: (isLast ? all : positions.to * fineness) - first };
}

const outline = lazily(() => buildNetwork());
