import type { Size } from '../metric.ts';
import type { Overhang } from '../pool-planes.ts';
import { side, tiny } from './vsi-saliency.ts';

/**
 * Saliency stretched to the picture's size (corners aligned), brought to 0..1 over it, and pooled.
 * All of this is linear but for the extremes, so the full-size map is never made.
 */
export function stretchAndPool(values: Float64Array, size: Size, factor: number, overhang: Overhang): Float64Array {
  const wide = stretchRows(values, size.width);
  const { low, high } = stretchedExtremes(wide, size);
  const columns = poolingTaps(size.width, factor, overhang);
  const rows = poolingTaps(size.height, factor, overhang);
  const narrow = applyAlongRows(values, columns);
  const pooled = applyDown(narrow, columns.length, rows);
  return pooled.map((value) => (value - low) / (high - low + tiny));
}

interface Tap {
  readonly index: number;
  readonly weight: number;
}

/** The two source samples of each target sample. */
function stretchTaps(length: number): readonly (readonly [Tap, Tap])[] {
  return Array.from({ length }, (_, index) => {
    const source = (index * (side - 1)) / (length - 1);
    const first = Math.min(Math.floor(source), side - 1);
    const share = source - first;
    return [
      { index: first, weight: 1 - share },
      { index: Math.min(first + 1, side - 1), weight: share },
    ];
  });
}

function poolingTaps(length: number, factor: number, { before, after }: Overhang): readonly (readonly Tap[])[] {
  const stretch = stretchTaps(length);
  const count = Math.floor((length + before + after) / factor);
  return Array.from({ length: count }, (_, window) => {
    const weights = new Map<number, number>();
    for (let inside = 0; inside < factor; inside++) {
      const at = Math.min(Math.max(window * factor + inside - before, 0), length - 1);
      for (const { index, weight } of stretch[at] ?? [])
        weights.set(index, (weights.get(index) ?? 0) + weight / factor);
    }
    return [...weights].map(([index, weight]) => ({ index, weight }));
  });
}

function applyAlongRows(values: Float64Array, taps: readonly (readonly Tap[])[]): Float64Array {
  const result = new Float64Array(side * taps.length);
  for (let row = 0, target = 0; row < side; row++) {
    for (const tap of taps) {
      let sum = 0;
      for (const { index, weight } of tap) sum += (values[row * side + index] as number) * weight;
      result[target++] = sum;
    }
  }
  return result;
}

function applyDown(values: Float64Array, width: number, taps: readonly (readonly Tap[])[]): Float64Array {
  const result = new Float64Array(width * taps.length);
  taps.forEach((tap, row) => {
    for (const { index, weight } of tap) {
      for (let column = 0; column < width; column++) {
        const at = row * width + column;
        result[at] = (result[at] as number) + (values[index * width + column] as number) * weight;
      }
    }
  });
  return result;
}

const stretchRows = (values: Float64Array, width: number): Float64Array => applyAlongRows(values, stretchTaps(width));

/** Least and greatest stretched value; a row between two others cannot pass theirs, so few are looked at. */
function stretchedExtremes(wide: Float64Array, { width, height }: Size) {
  const rowAt = (row: number): Float64Array => wide.subarray(row * width, (row + 1) * width);
  const lows = Array.from({ length: side }, (_, row) => rowAt(row).reduce((a, b) => Math.min(a, b)));
  const highs = Array.from({ length: side }, (_, row) => rowAt(row).reduce((a, b) => Math.max(a, b)));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [first, second] of stretchTaps(height)) {
    const couldBe = (bounds: readonly number[], pick: (a: number, b: number) => number): number =>
      pick(bounds[first.index] as number, bounds[second.index] as number);
    if (couldBe(lows, Math.min) >= low && couldBe(highs, Math.max) <= high) continue;
    const [above, below] = [rowAt(first.index), rowAt(second.index)];
    for (let column = 0; column < width; column++) {
      const value = (above[column] as number) * first.weight + (below[column] as number) * second.weight;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { low, high };
}
