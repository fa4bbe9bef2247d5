import type { GraphBuilder, Ref } from '../graph.ts';
import { blockWidth } from '../strips.ts';

/** 1000 times the YIQ luma of bytes [1, rows, blocks, 48], as whole numbers, which float32 holds exactly. */
export function lumaThousands(graph: GraphBuilder, bytes: Ref): Ref {
  const weights = new Float32Array(3 * blockWidth * blockWidth);
  for (let column = 0; column < blockWidth; column++) {
    weights[(3 * column + 0) * blockWidth + column] = 299;
    weights[(3 * column + 1) * blockWidth + column] = 587;
    weights[(3 * column + 2) * blockWidth + column] = 114;
  }
  return graph.op('MatMul', [asFloat(graph, bytes), graph.constant(weights, [3 * blockWidth, blockWidth])]);
}

/** Luma of RGB bytes rounded to whole numbers 0..255, [1, rows, blocks, 16]. */
export function roundedLuma(graph: GraphBuilder, bytes: Ref): Ref {
  // Adding 1.5 * 2^23 leaves float32 no bits behind the point, so the sum rounds; several times faster than Round.
  const shift = 1.5 * 2 ** 23;
  const exact = graph.div(lumaThousands(graph, bytes), vector(graph, 1000));
  return graph.sub(graph.add(exact, shift), shift);
}

export const asFloat = (graph: GraphBuilder, bytes: Ref): Ref => graph.op('Cast', [bytes], { to: 1 });

// The runtime folds a single factor into the matrix product, which rounds otherwise; a vector it leaves alone.
const vector = (graph: GraphBuilder, value: number): Ref => graph.constant(new Float32Array(blockWidth).fill(value));
