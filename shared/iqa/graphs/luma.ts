import { FLOAT32, type GraphBuilder, type Ref } from '../graph.ts';
import { blockWidth } from '../strips.ts';

// Eight pixels make a product of 24 x 8, the smallest that fills the processor's vectors.
const step = 8;

/**
 * The weighted sum of red, green and blue: [1, rows, blocks, 48] to [1, rows, blocks, 16], added in this order with fused
 * operations. The reshaping also keeps the runtime from folding a division or factor into the product.
 */
export function weighted(graph: GraphBuilder, values: Ref, factors: readonly [number, number, number]): Ref {
  const weights = new Float32Array(3 * step * step);
  for (let column = 0; column < step; column++) {
    factors.forEach((factor, channel) => {
      weights[(3 * column + channel) * step + column] = factor;
    });
  }
  const pixels = graph.reshape(values, [0, 0, -1, 3 * step]);
  const product = graph.op('MatMul', [pixels, graph.constant(weights, [3 * step, step])]);
  return graph.reshape(product, [0, 0, -1, blockWidth]);
}

// Adding this to a float32 below 2^22 leaves no bits for a fraction, so the sum rounds half to even.
const shift = 1.5 * 2 ** 23;

/** Luma of RGB bytes, rounded to 0..255 in the reference's float32 steps so that ties round the same way. */
export function roundedLuma(graph: GraphBuilder, bytes: Ref): Ref {
  return graph.sub(shiftedLuma(graph, bytes), shift);
}

/** x + y - 256 and x - y of the rounded luma of two pictures; the rounding shifts cancel without extra operations. */
export function lumaSumAndDifference(graph: GraphBuilder, picture: Ref, reference: Ref) {
  const x = shiftedLuma(graph, picture);
  const y = shiftedLuma(graph, reference);
  return { sum: graph.add(x, graph.sub(y, 2 * shift + 256)), difference: graph.sub(x, y) };
}

function shiftedLuma(graph: GraphBuilder, bytes: Ref): Ref {
  const luma = weighted(graph, graph.div(asFloat(graph, bytes), 255), [0.299, 0.587, 0.114]);
  return graph.add(graph.mul(luma, 255), shift);
}

export const asFloat = (graph: GraphBuilder, bytes: Ref): Ref => graph.op('Cast', [bytes], { to: FLOAT32 });
