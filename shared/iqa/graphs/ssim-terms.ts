import type { GraphBuilder, Ref } from '../graph.ts';
import { blockWidth } from '../strips.ts';
import { gaussian } from './gaussian.ts';

const c1 = (0.01 * 255) ** 2;
const c2 = (0.03 * 255) ** 2;

/** What is taken off x + y beforehand, near its middle: it leaves float32 more bits for the variance of bright pictures. */
export const centre = 256;

/**
 * SSIM's structure term and whole map from planes s = x + y - 256 and d = x - y, which `toPlane` brings to polyphase layout.
 * With these, four blurred maps are enough instead of five: 4xy = ss - dd, 2(xx + yy) = ss + dd.
 * Squares are taken before: a change of layout that only a convolution reads costs nothing.
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

/** Sums down the rows only, short enough for float32: [n, 16, blocks]. Columns are added in float64 by the caller. */
export const columnSums = (graph: GraphBuilder, map: Ref, planes = 1) => ({
  value: graph.sum(map, [2]),
  shape: [planes, blockWidth, 'blocks_out'],
});
