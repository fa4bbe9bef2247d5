import type { GraphBuilder, Ref } from '../graph.ts';
import { blockWidth } from '../strips.ts';
import { gaussian } from './gaussian.ts';

const c1 = (0.01 * 255) ** 2;
const c2 = (0.03 * 255) ** 2;

/** Subtracted from x + y, near its middle, which leaves float32 more bits for the variance of bright pictures. */
export const centre = 256;

/**
 * SSIM's structure term and full map from planes s = x + y - 256 and d = x - y, which `toPlane` converts to polyphase
 * layout. They need four blurred maps instead of five: 4xy = ss - dd, 2(xx + yy) = ss + dd. Squares are taken before the
 * conversion, which is free when only a convolution reads its result.
 */
export function similarity(
  graph: GraphBuilder,
  sum: Ref,
  difference: Ref,
  toPlane: (value: Ref) => Ref = (value) => value,
): { structure: () => Ref; map: () => Ref } {
  const blurred = (value: Ref, add = 0): Ref => gaussian(graph, toPlane(value), add);
  const meanSum = blurred(sum);
  const meanDifference = blurred(difference);
  const b = graph.mul(meanDifference, meanDifference);
  const p = graph.sub(blurred(graph.mul(sum, sum), 2 * c2), graph.mul(meanSum, meanSum));
  const q = graph.sub(blurred(graph.mul(difference, difference)), b);
  const numerator = graph.op('Relu', [graph.sub(p, q)]);
  const denominator = graph.add(p, q);
  return {
    structure: () => graph.div(numerator, denominator),
    map() {
      // (s + 256)^2 of the mean, plus the constant.
      const a = graph.add(graph.mul(graph.add(meanSum, 2 * centre), meanSum), centre ** 2 + 2 * c1);
      return graph.div(graph.mul(graph.sub(a, b), numerator), graph.mul(graph.add(a, b), denominator));
    },
  };
}

/** Sums over rows only, few enough for float32: [n, 16, blocks]. The caller adds the columns in float64. */
export const columnSums = (graph: GraphBuilder, map: Ref, planes = 1) => ({
  value: graph.sum(map, [2]),
  shape: [planes, blockWidth, 'blocks_out'],
});
