import { keepLast } from '../../kernel/lazily.ts';
import type { Size } from '../metric.ts';
import type { Overhang } from '../pool-planes.ts';
import { side } from './energy.ts';
import { type Extremes, extremes, tiny } from './saliency.ts';

/**
 * Upscales saliency to the picture's size (corners aligned), normalises it to 0..1 and pools it. All of this is linear
 * except for finding the extremes, so the full-size map is never built.
 */
export function stretchAndPool(
  values: Float64Array,
  size: Size,
  factor: number,
  overhang: Overhang,
  pooled: Float32Array,
): void {
  const { wide, narrow, stretch, columns, rows } = tablesFor(`${size.width} ${size.height}`, () =>
    tablesOf(size, factor, overhang),
  );
  applyAlongRows(values, stretch.columns, wide);
  const { low, high } = stretchedExtremes(wide, size, stretch.rows);
  applyAlongRows(values, columns, narrow);
  applyDown(narrow, columns.count, rows, { low, scale: 1 / (high - low + tiny) }, pooled);
}

// Consecutive pictures often have one size, and share these tables and this memory.
const tablesFor = keepLast<ReturnType<typeof tablesOf>>();

function tablesOf({ width, height }: Size, factor: number, overhang: Overhang) {
  const columns = poolingTaps(width, factor, overhang);
  return {
    stretch: { columns: stretchTaps(width), rows: stretchTaps(height) },
    columns,
    rows: poolingTaps(height, factor, overhang),
    wide: new Float64Array(side * width),
    narrow: new Float64Array(side * columns.count),
  };
}

/** Sparse interpolation weights: target sample t has the entries `starts[t]` up to but not including `starts[t + 1]`. */
interface Taps {
  readonly count: number;
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly weights: Float64Array;
}

/** The two source samples of each target sample. */
function stretchTaps(length: number): Taps {
  const indices = new Int32Array(2 * length);
  const weights = new Float64Array(2 * length);
  for (let index = 0; index < length; index++) {
    const source = (index * (side - 1)) / (length - 1);
    const first = Math.min(Math.floor(source), side - 1);
    indices[2 * index] = first;
    indices[2 * index + 1] = Math.min(first + 1, side - 1);
    weights[2 * index] = 1 - (source - first);
    weights[2 * index + 1] = source - first;
  }
  return { count: length, starts: Int32Array.from({ length: length + 1 }, (_, index) => 2 * index), indices, weights };
}

// A pooling window reads some source samples several times: their weights are added first.
function poolingTaps(length: number, factor: number, { before, after }: Overhang): Taps {
  const stretch = stretchTaps(length);
  const count = Math.floor((length + before + after) / factor);
  const starts = new Int32Array(count + 1);
  const indices = new Int32Array(2 * count * factor);
  const weights = new Float64Array(2 * count * factor);
  let used = 0;
  for (let target = 0; target < count; target++) {
    for (let inside = 0; inside < factor; inside++) {
      const at = 2 * Math.min(Math.max(target * factor + inside - before, 0), length - 1);
      for (let tap = at; tap < at + 2; tap++) {
        const index = stretch.indices[tap] as number;
        let place = starts[target] as number;
        while (place < used && indices[place] !== index) place++;
        if (place === used) indices[used++] = index;
        weights[place] = (weights[place] as number) + (stretch.weights[tap] as number) / factor;
      }
    }
    starts[target + 1] = used;
  }
  return { count, starts, indices, weights };
}

function applyAlongRows(values: Float64Array, { count, starts, indices, weights }: Taps, result: Float64Array): void {
  for (let row = 0, target = 0; row < side; row++) {
    for (let column = 0, tap = 0; column < count; column++) {
      let sum = 0;
      for (const end = starts[column + 1] as number; tap < end; tap++) {
        sum += (values[row * side + (indices[tap] as number)] as number) * (weights[tap] as number);
      }
      result[target++] = sum;
    }
  }
}

function applyDown(
  values: Float64Array,
  width: number,
  { count, starts, indices, weights }: Taps,
  { low, scale }: { readonly low: number; readonly scale: number },
  result: Float32Array,
): void {
  const line = new Float64Array(width);
  for (let row = 0; row < count; row++) {
    line.fill(0);
    for (let tap = starts[row] as number; tap < (starts[row + 1] as number); tap++) {
      const source = (indices[tap] as number) * width;
      const weight = weights[tap] as number;
      for (let column = 0; column < width; column++) {
        line[column] = (line[column] as number) + (values[source + column] as number) * weight;
      }
    }
    for (let column = 0, at = row * width; column < width; column++, at++) {
      result[at] = ((line[column] as number) - low) * scale;
    }
  }
}

/** The extremes of the upscaled map. An interpolated row cannot exceed the two it lies between, so most are skipped. */
function stretchedExtremes(wide: Float64Array, { width }: Size, { indices, weights }: Taps) {
  const bounds = Array.from({ length: side }, (_, row) => extremes(wide.subarray(row * width, (row + 1) * width)));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let tap = 0; tap < indices.length; tap += 2) {
    const above = indices[tap] as number;
    const below = indices[tap + 1] as number;
    const [one, other] = [bounds[above] as Extremes, bounds[below] as Extremes];
    if (Math.min(one.low, other.low) >= low && Math.max(one.high, other.high) <= high) continue;
    for (let column = 0; column < width; column++) {
      const value =
        (wide[above * width + column] as number) * (weights[tap] as number) +
        (wide[below * width + column] as number) * (weights[tap + 1] as number);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { low, high };
}
