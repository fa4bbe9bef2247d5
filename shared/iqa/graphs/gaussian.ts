import type { GraphBuilder, Ref } from '../graph.ts';
import { blockWidth } from '../strips.ts';

/** The side of SSIM's window. */
export const windowSide = 11;

const taps = gaussianTaps(windowSide, 1.5);

/**
 * SSIM's Gaussian window over a plane in polyphase layout [n, 16, rows, blocks], without padding: 10 rows fewer. `add` is
 * a bias. Sixteen neighbouring columns are channels, so the horizontal pass is a dense 16 -> 16 convolution over two blocks.
 */
export function gaussian(graph: GraphBuilder, plane: Ref, add = 0): Ref {
  const vertical = Float32Array.from({ length: blockWidth * windowSide }, (_, index) => taps[index % windowSide] ?? 0);
  const down = graph.conv(plane, graph.constant(vertical, [blockWidth, 1, windowSide, 1]), { group: blockWidth });
  const across = graph.constant(bandMatrix(), [blockWidth, blockWidth, 1, 2]);
  return graph.conv(down, across, add === 0 ? {} : { bias: graph.constant(new Float32Array(blockWidth).fill(add)) });
}

/** Gaussian weights, normalised to sum 1. */
function gaussianTaps(side: number, sigma: number): readonly number[] {
  const raw = Array.from({ length: side }, (_, index) => Math.exp(-((index - (side - 1) / 2) ** 2) / (2 * sigma ** 2)));
  const sum = raw.reduce((total, tap) => total + tap, 0);
  return raw.map((tap) => tap / sum);
}

/** From row-major [n, rows, blocks, 16] to polyphase [n, 16, rows, blocks]. */
export const toPolyphase = (graph: GraphBuilder, plane: Ref): Ref =>
  graph.op('Transpose', [plane], { perm: [0, 3, 1, 2] });

function bandMatrix(): Float32Array {
  const matrix = new Float32Array(blockWidth * blockWidth * 2);
  let index = 0;
  for (let output = 0; output < blockWidth; output++) {
    for (let input = 0; input < blockWidth; input++) {
      for (let block = 0; block < 2; block++) matrix[index++] = taps[block * blockWidth + input - output] ?? 0;
    }
  }
  return matrix;
}
