import figures from '../../../metadata/models/ssimulacra2.json' with { type: 'json' };
import type { Size, StripMetric } from '../metric.ts';
import { linearRow } from './linear-rows.ts';
import { createScales, MAPS, SCALES } from './scale.ts';

const CHANNELS = 3;
const SMALLEST = 8;

/**
 * SSIMULACRA 2.1 (Sneyers, Cloudinary): 100 for equal pictures, 90 visually lossless, 70 high, 50 medium, 30 low quality.
 * Typed arrays instead of a graph, because the published scores contain the float32 rounding of its recursive blur, up to
 * 0.06 of a point.
 */
export const ssimulacra2: StripMetric = {
  kind: 'strips',
  name: 'ssimulacra2',
  minimumSide: SMALLEST,
  // The blur runs down whole columns, so threads divide the colour channels, not rows.
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
      // Checked every 64 rows, because a check per row is too slow.
      if (y % 64 === 0) runner.throwIfAborted();
      linearRow(reference, y, rows[0]);
      linearRow(picture, y, rows[1]);
      scales.push(rows[0], rows[1]);
    }
    scales.end();
    return totals;
  },
  finish: (totals, size) => computeScore(computeNorms(totals, scaleSizes(size))),
};

/** Each scale is half of the one before, as long as that has eight pixels per side. */
function scaleSizes({ width, height }: Size): readonly Size[] {
  const sizes = [{ width, height }];
  for (let last = sizes[0] as Size; sizes.length < SCALES && Math.min(last.width, last.height) >= SMALLEST; ) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
    sizes.push(last);
  }
  return sizes;
}

/** Means and fourth roots of mean fourth powers, [channel][scale][norm][map] in the order of the weights. */
function computeNorms(totals: Float64Array, sizes: readonly Size[]): readonly number[] {
  return Array.from({ length: CHANNELS }, (_, channel) =>
    sizes.flatMap(({ width, height }, scale) => {
      const at = (channel * SCALES + scale) * MAPS;
      const means = Array.from(totals.subarray(at, at + MAPS), (total) => total / (width * height));
      return [...means.slice(0, MAPS / 2), ...means.slice(MAPS / 2).map((mean) => mean ** 0.25)];
    }),
  ).flat();
}

// A small picture has fewer scales; its norms use the first weights, as in the reference.
function computeScore(norms: readonly number[]): number {
  const { weights, scale, cubic, power, factor } = figures;
  const x = scale * norms.reduce((sum, norm, index) => sum + norm * (weights[index] as number), 0);
  const error = cubic.reduceRight((value, coefficient) => value * x + coefficient, 0);
  return error > 0 ? 100 - factor * error ** power : 100;
}
