import type { RowRange, Size } from '../metric.ts';
import { windowSide } from './gaussian.ts';
import { createRowBuffer, type PlaneRows, type RowBuffer } from './row-buffer.ts';
import { centre } from './ssim-terms.ts';

const border = windowSide - 1;

/** The work of one part of a picture at one level. */
export interface Level extends Size {
  readonly index: number;
  /** The result rows of this part; those of all parts cover the level once. */
  readonly results: RowRange;
  /** The rows it reads for them and for the coarser levels. */
  readonly input: RowRange;
}

/** The sizes of the levels, each half of the one before, rounded up. */
export function levelSizes(size: Size, count: number): readonly Size[] {
  const sizes: Size[] = [{ width: size.width, height: size.height }];
  for (let last = size; sizes.length < count; ) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
    sizes.push(last);
  }
  return sizes;
}

/** Plans one part, given as rows of the coarsest level: which results it computes and which rows it reads. */
export function planLevels(size: Size, part: RowRange, count: number): readonly Level[] {
  const sizes = levelSizes(size, count);
  const levels: Level[] = [];
  let owned: RowRange = part;
  let needed: RowRange = { from: part.from, to: part.from };
  for (let index = count - 1; index >= 0; index--) {
    const { width, height } = sizes[index] as Size;
    if (index < count - 1) {
      const odd = height % 2;
      owned = { from: 2 * owned.from - odd, to: 2 * owned.to - odd };
      needed = { from: 2 * needed.from - odd, to: 2 * needed.to - odd };
    }
    const isLast = part.to === sizes[count - 1]?.height;
    const results = clip({ from: owned.from, to: isLast ? height - border : owned.to }, height - border);
    const own = results.to > results.from ? { from: results.from, to: results.to + border } : needed;
    needed = clip({ from: Math.min(own.from, needed.from), to: Math.max(own.to, needed.to) }, height);
    levels.unshift({ index, width, height, results, input: needed });
  }
  return levels;
}

const clip = ({ from, to }: RowRange, end: number): RowRange => ({
  from: Math.min(Math.max(0, from), end),
  to: Math.min(Math.max(0, to), end),
});

/** Rows computed at a time: fewer for wide pictures, because rows of the next batch wait in memory. */
export const batchRows = (width: number): number => Math.min(128, Math.max(16, 16 * Math.floor(2 ** 15 / width)));

type Measure = (level: Level, batch: PlaneRows) => Promise<void>;

export interface Cascade {
  /** Room for the next rows of the finest level. */
  reserve(rows: number): PlaneRows;
  /** Consumes the reserved rows: measures every complete batch and passes halved rows to the coarser levels. */
  take(): Promise<void>;
}

/** Takes up to `incoming` rows of the finest level at a time, halves them level by level and calls `measure` per batch. */
export function createCascade(levels: readonly Level[], incoming: number, measure: Measure): Cascade {
  const stages = levels.map((level, index) =>
    createStage(level, levels[index + 1], Math.ceil(incoming / 2 ** index) + 1, measure),
  );
  return {
    reserve: (rows) => (stages[0] as Stage).buffer.reserve(rows),
    async take() {
      for (const [index, stage] of stages.entries()) await stage.advance(stages[index + 1]?.buffer);
    },
  };
}

interface Stage {
  readonly buffer: RowBuffer;
  advance(below: RowBuffer | undefined): Promise<void>;
}

function createStage(level: Level, below: Level | undefined, incoming: number, measure: Measure): Stage {
  const batch = batchRows(level.width);
  // Up to a batch and its border minus one row may wait, and one row before them for its pair.
  const buffer = createRowBuffer(level.width, level.input.from, batch + border + incoming + 1);
  let nextResult = level.results.from;
  let nextHalved = below?.input.from ?? Number.POSITIVE_INFINITY;
  return {
    buffer,
    async advance(target) {
      for (let end = batchEnd(level, nextResult, batch, buffer.to()); end > nextResult; ) {
        await measure(level, buffer.view(nextResult, end + border));
        nextResult = end;
        end = batchEnd(level, nextResult, batch, buffer.to());
      }
      if (below && target) nextHalved = halve(buffer, level, below, nextHalved, target);
      const unmeasured = nextResult < level.results.to ? nextResult : Number.POSITIVE_INFINITY;
      buffer.drop(Math.min(unmeasured, 2 * nextHalved - (level.height % 2)));
    },
  };
}

// Only whole batches, except the last.
function batchEnd(level: Level, from: number, batch: number, available: number): number {
  const end = Math.min(from + batch, level.results.to, available - border);
  return end === from + batch || end === level.results.to ? end : from;
}

// An odd side is padded by black at each end, so the first pair is black and the first row or column.
function halve(buffer: RowBuffer, level: Level, below: Level, from: number, target: RowBuffer): number {
  const oddHeight = level.height % 2;
  const to = Math.max(from, Math.floor((buffer.to() + oddHeight) / 2));
  const halved = target.reserve(to - from);
  for (let row = from; row < to; row++) {
    const first = 2 * row - oddHeight;
    const source = buffer.view(Math.max(0, first), first + 2);
    const start = (row - from) * below.width;
    halveRow(source.sum, first < 0, -centre, level.width, halved.sum.subarray(start, start + below.width));
    halveRow(source.difference, first < 0, 0, level.width, halved.difference.subarray(start, start + below.width));
  }
  return to;
}

function halveRow(pair: Float32Array, isFirst: boolean, black: number, width: number, halved: Float32Array): void {
  const odd = width % 2;
  const second = isFirst ? 0 : width;
  if (odd) halved[0] = ((isFirst ? black : (pair[0] as number)) + (pair[second] as number) + 2 * black) / 4;
  for (let column = odd, at = odd; column < width; column += 2, at++) {
    const above = isFirst ? 2 * black : (pair[column] as number) + (pair[column + 1] as number);
    halved[at] = (above + (pair[second + column] as number) + (pair[second + column + 1] as number)) / 4;
  }
}
