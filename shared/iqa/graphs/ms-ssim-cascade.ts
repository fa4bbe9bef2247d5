import type { RowRange, Size } from '../metric.ts';
import { tileRows } from '../strips.ts';
import { windowSide } from './gaussian.ts';

const border = windowSide - 1;

/** Consecutive rows of the two planes s = x + y and d = x - y at one level. */
export interface Rows extends RowRange {
  readonly sum: Float32Array;
  readonly difference: Float32Array;
}

/** What one part of a picture has to do at one level. */
export interface Level extends Size {
  readonly index: number;
  /** The rows of results that belong to this part; those of all parts cover the level once. */
  readonly results: RowRange;
  /** The rows it needs for them and for the levels below. */
  readonly input: RowRange;
}

/** The sizes of the levels: halved, rounding up. */
export function levelSizes(size: Size, count: number): readonly Size[] {
  const sizes: Size[] = [{ width: size.width, height: size.height }];
  for (let last = size; sizes.length < count; ) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
    sizes.push(last);
  }
  return sizes;
}

/** Plans a part, given as rows of the coarsest level: which results it owns and which rows it reads. */
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

type Measure = (level: Level, batch: Rows) => Promise<void>;

/** Takes the rows of the finest level in order, halves them level by level and hands out batches to be measured. */
export function createCascade(levels: readonly Level[], measure: Measure): (rows: Rows) => Promise<void> {
  const stages = levels.map((level, index) => createStage(level, levels[index + 1], measure));
  return async (rows) => {
    let passing: Rows | undefined = rows;
    for (const stage of stages) passing = passing && (await stage(passing));
  };
}

/** One level: measures what it can, keeps the rows still needed, and gives the new rows of the level below. */
function createStage(level: Level, below: Level | undefined, measure: Measure) {
  let kept = rowsFrom(level.input.from, level.input.from, level.width);
  let nextResult = level.results.from;
  let nextHalved = below?.input.from ?? Number.POSITIVE_INFINITY;
  return async (rows: Rows): Promise<Rows | undefined> => {
    const all = append(kept, rows, level.width);
    for (let end = batchEnd(level, nextResult, all); end > nextResult; end = batchEnd(level, nextResult, all)) {
      await measure(level, cut(all, nextResult, end + border, level.width));
      nextResult = end;
    }
    const halved = below && halve(all, level, below, nextHalved);
    if (halved) nextHalved = halved.to;
    const unmeasured = nextResult < level.results.to ? nextResult : all.to;
    const keepFrom = Math.min(unmeasured, 2 * nextHalved - (level.height % 2), all.to);
    kept = cut(all, Math.max(all.from, keepFrom), all.to, level.width);
    return halved && halved.to > halved.from ? halved : undefined;
  };
}

// Whole batches only, but for the last.
function batchEnd(level: Level, from: number, available: RowRange): number {
  const end = Math.min(from + tileRows, level.results.to, available.to - border);
  return end === from + tileRows || end === level.results.to ? end : from;
}

// An odd side is padded by a zero on each end: the first pair then holds one zero and the first row or column.
function halve(rows: Rows, level: Level, below: Level, from: number): Rows {
  const oddHeight = level.height % 2;
  const halved = rowsFrom(from, Math.max(from, Math.floor((rows.to + oddHeight) / 2)), below.width);
  for (let row = halved.from; row < halved.to; row++) {
    const first = (2 * row - oddHeight - rows.from) * level.width;
    const target = (row - halved.from) * below.width;
    halveRow(rows.sum, first, level.width, halved.sum, target);
    halveRow(rows.difference, first, level.width, halved.difference, target);
  }
  return halved;
}

function halveRow(plane: Float32Array, first: number, width: number, halved: Float32Array, target: number): void {
  const odd = width % 2;
  const second = first + width;
  const pair = (column: number): number =>
    (first < 0 ? 0 : (plane[first + column] as number)) + (plane[second + column] as number);
  if (odd) halved[target] = pair(0) / 4;
  for (let column = odd, at = target + odd; column < width; column += 2, at++) {
    halved[at] = (pair(column) + pair(column + 1)) / 4;
  }
}

function rowsFrom(from: number, to: number, width: number): Rows {
  const length = (to - from) * width;
  return { from, to, sum: new Float32Array(length), difference: new Float32Array(length) };
}

function append(kept: Rows, rows: Rows, width: number): Rows {
  if (kept.from === kept.to) return rows;
  const all = rowsFrom(kept.from, rows.to, width);
  all.sum.set(kept.sum);
  all.sum.set(rows.sum, kept.sum.length);
  all.difference.set(kept.difference);
  all.difference.set(rows.difference, kept.difference.length);
  return all;
}

function cut(rows: Rows, from: number, to: number, width: number): Rows {
  const [start, end] = [(from - rows.from) * width, (to - rows.from) * width];
  return { from, to, sum: rows.sum.subarray(start, end), difference: rows.difference.subarray(start, end) };
}
