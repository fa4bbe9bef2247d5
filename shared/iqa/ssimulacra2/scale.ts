import type { Size } from '../metric.ts';
import { blurRow, type ColumnBlur, createColumnBlur, REACH } from './blur.ts';
import { addDissimilarity, addEdges } from './compare-rows.ts';
import { halveRows, xybRow } from './linear-rows.ts';

export const SCALES = 6;
/** Sums of 1 - SSIM, of edges gained and of edges lost, then the sums of their fourth powers. */
export const MAPS = 6;

/** Takes rows of reference and picture in linear light from top to bottom; call `end` after the last. */
export interface RowSink {
  push(reference: Float32Array, picture: Float32Array): void;
  end(): void;
}

/** Compares some colour channels at all scales and adds the sums to `totals`, [channel][scale][map]. */
export function createScales(sizes: readonly Size[], channels: readonly number[], totals: Float64Array): RowSink {
  const nothing: RowSink = { push: () => {}, end: () => {} };
  return sizes.reduceRight((smaller, { width }, scale) => {
    const comparisons = channels.map((channel) => {
      const at = (channel * SCALES + scale) * MAPS;
      return createComparison(width, channel, totals.subarray(at, at + MAPS));
    });
    const halving = scale + 1 < sizes.length ? createHalving(width, smaller) : nothing;
    return all([...comparisons, halving]);
  }, nothing);
}

const all = (sinks: readonly RowSink[]): RowSink => ({
  push: (reference, picture) => {
    for (const sink of sinks) sink.push(reference, picture);
  },
  end: () => {
    for (const sink of sinks) sink.end();
  },
});

/** Passes every two rows on at half the size; a single last row counts twice. */
function createHalving(width: number, next: RowSink): RowSink {
  const kept = [new Float32Array(3 * width), new Float32Array(3 * width)] as const;
  const halves = [0, 1].map(() => new Float32Array(3 * Math.ceil(width / 2))) as [Float32Array, Float32Array];
  let isHalf = false;
  const push = (reference: Float32Array, picture: Float32Array): void => {
    if (isHalf) {
      halveRows(kept[0], reference, halves[0]);
      halveRows(kept[1], picture, halves[1]);
      next.push(...halves);
    } else {
      kept[0].set(reference);
      kept[1].set(picture);
    }
    isHalf = !isHalf;
  };
  return {
    push,
    end() {
      if (isHalf) push(...kept);
      next.end();
    },
  };
}

const PLANES = 5;

/** Compares one colour channel at one scale: blurs five planes and compares each row once its window is complete. */
function createComparison(width: number, channel: number, sums: Float64Array): RowSink {
  const lines = Array.from({ length: REACH + 1 }, () => [new Float32Array(width), new Float32Array(width)] as const);
  const [xx, yy, xy, across, empty] = Array.from({ length: 5 }, () => new Float32Array(width)) as Five<Float32Array>;
  const blurs = Array.from({ length: PLANES }, () => createColumnBlur(width)) as unknown as Five<ColumnBlur>;
  let count = 0;
  const compare = (): void => {
    if (count <= REACH) return;
    const [x, y] = lines[(count - 1 - REACH) % lines.length] as readonly [Float32Array, Float32Array];
    const [meanX, meanY, squaresX, squaresY, product] = blurs.map(({ row }) => row) as Five<Float32Array>;
    addDissimilarity(meanX, meanY, squaresX, squaresY, product, sums);
    addEdges(x, y, meanX, meanY, sums);
  };
  return {
    push(reference, picture) {
      const [x, y] = lines[count++ % lines.length] as readonly [Float32Array, Float32Array];
      xybRow(reference, channel, x);
      xybRow(picture, channel, y);
      for (let at = 0; at < width; at++) {
        const [a, b] = [x[at] as number, y[at] as number];
        xx[at] = a * a;
        yy[at] = b * b;
        xy[at] = a * b;
      }
      [x, y, xx, yy, xy].forEach((plane, index) => {
        blurRow(plane, across);
        (blurs[index] as ColumnBlur).add(across);
      });
      compare();
    },
    end() {
      for (let row = 0; row < REACH; row++) {
        count++;
        for (const blur of blurs) blur.add(empty);
        compare();
      }
    },
  };
}

type Five<Value> = [Value, Value, Value, Value, Value];
