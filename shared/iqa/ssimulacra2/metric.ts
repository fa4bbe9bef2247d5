import figures from '../../../metadata/models/ssimulacra2.json' with { type: 'json' };
import type { Size, StripMetric } from '../metric.ts';
import { linearRow } from './linear-rows.ts';
import { createScales, MAPS, SCALES } from './scale.ts';

const CHANNELS = 3;
const SMALLEST = 8;

/**
 * SSIMULACRA 2.1 (Sneyers, Cloudinary): 100 for equal pictures, 90 visually lossless, 70 high, 50 medium, 30 low quality.
 * Typed arrays, not a graph: the published scores hold the float32 rounding of its recursive blur, up to 0.06 of a point.
 */
export const ssimulacra2: StripMetric = {
  kind: 'strips',
  name: 'ssimulacra2',
  minimumSide: SMALLEST,
  // The blur runs down whole columns, so it is the colour channels that are shared out.
  rowUnit: 1,
  rows: () => CHANNELS,
  figures,
  graphs: () => [],
  async sums({ picture, reference }, { from, to }, runner) {
    const totals = new Float64Array(CHANNELS * SCALES * MAPS);
    const channels = Array.from({ length: to - from }, (_, index) => from + index);
    const scales = createScales(scaleSizes(picture), channels, totals);
    const rows = [new Float32Array(picture.width * 3), new Float32Array(picture.width * 3)] as const;
    for (let y = 0; y < picture.height; y++) {
      // Whoever gave up is noticed now and then, not at each row.
      if (y % 64 === 0) runner.throwIfGivenUp();
      linearRow(reference, y, rows[0]);
      linearRow(picture, y, rows[1]);
      scales.push(rows[0], rows[1]);
    }
    scales.end();
    return totals;
  },
  finish: (totals, size) => computeScore(computeNorms(totals, scaleSizes(size))),
};

/** Halved as long as the scale before has eight pixels a side. */
function scaleSizes({ width, height }: Size): readonly Size[] {
  const sizes = [{ width, height }];
  for (let last = sizes[0] as Size; sizes.length < SCALES && Math.min(last.width, last.height) >= SMALLEST; ) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
    sizes.push(last);
  }
  return sizes;
}

/** Means and fourth roots of mean fourth powers: [channel][scale][norm][map], as the weights lie. */
function computeNorms(totals: Float64Array, sizes: readonly Size[]): readonly number[] {
  return Array.from({ length: CHANNELS }, (_, channel) =>
    sizes.flatMap(({ width, height }, scale) => {
      const at = (channel * SCALES + scale) * MAPS;
      const means = Array.from(totals.subarray(at, at + MAPS), (total) => total / (width * height));
      return [...means.slice(0, MAPS / 2), ...means.slice(MAPS / 2).map((mean) => mean ** 0.25)];
    }),
  ).flat();
}

// A small picture has fewer scales; its norms meet the weights in turn, as in the reference.
function computeScore(norms: readonly number[]): number {
  const { weights, scale, cubic, power, factor } = figures;
  const x = scale * norms.reduce((sum, norm, index) => sum + norm * (weights[index] as number), 0);
  const error = cubic.reduceRight((value, coefficient) => value * x + coefficient, 0);
  return error > 0 ? 100 - factor * error ** power : 100;
}
