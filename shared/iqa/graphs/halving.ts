import { blockWidth } from '../strips.ts';

/** Columns in a block after the picture is halved. */
export const lanes = blockWidth / 2;

/** Means of 2 x 2 pixels as a convolution of polyphase planes, 16 -> 8 lanes with a stride of two rows: [8, 16, 2, 1]. */
export function halvingWeights(): Float32Array {
  const weights = new Float32Array(lanes * blockWidth * 2);
  for (let lane = 0; lane < lanes; lane++) {
    const first = 2 * (lane * blockWidth + 2 * lane);
    weights.fill(0.25, first, first + 4);
  }
  return weights;
}
