import type { Pair, WholeMetric } from '../metric.ts';
import { poolingFactor, poolPlanes } from '../pool-planes.ts';
import { FIGURES } from './kernels.ts';
import { similarities } from './similarities.ts';

/** Mean deviation similarity index: the deviation of the similarity of gradients and colours; 0 is best. */
export const mdsi: WholeMetric = {
  kind: 'whole',
  name: 'mdsi',
  minimumSide: 3,
  figures: FIGURES,
  graphs: () => [],
  async score(pair) {
    return meanDeviation(similarities(...pooled(pair))) ** 0.25;
  },
};

function pooled({ picture, reference }: Pair) {
  const factor = poolingFactor(picture);
  const overhang = { before: Math.floor((factor - 1) / 2), after: Math.floor(factor / 2), isBlack: true };
  return [poolPlanes(picture, factor, overhang), poolPlanes(reference, factor, overhang)] as const;
}

/** Mean distance of the complex fourth roots from their mean; the root of a negative number has phase pi / 4. */
function meanDeviation(values: Float32Array): number {
  const roots = new Float64Array(values.length);
  for (let at = 0; at < roots.length; at++) roots[at] = Math.sqrt(Math.sqrt(Math.abs(values[at] as number)));
  // Sums are divided last, so the mean of equal values is exact: the final fourth root would enlarge any error.
  let real = 0;
  let imaginary = 0;
  for (let at = 0; at < values.length; at++) {
    const root = roots[at] as number;
    const isNegative = (values[at] as number) < 0;
    real += isNegative ? root * Math.SQRT1_2 : root;
    if (isNegative) imaginary += root * Math.SQRT1_2;
  }
  real /= values.length;
  imaginary /= values.length;
  let distance = 0;
  for (let at = 0; at < values.length; at++) {
    const root = roots[at] as number;
    const isNegative = (values[at] as number) < 0;
    const across = (isNegative ? root * Math.SQRT1_2 : root) - real;
    const up = (isNegative ? root * Math.SQRT1_2 : 0) - imaginary;
    distance += Math.sqrt(across * across + up * up);
  }
  return distance / values.length;
}
