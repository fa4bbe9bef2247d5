import { lazily } from '../kernel/lazily.ts';
import { advance, get, i16x8, i32, i32x4, repeatWhile, set, v128, type WasmFunction } from './wasm/assemble.ts';
import { instantiate } from './wasm/instance.ts';

/** Bytes of each picture per run of the vector code: few enough that its four sums of squares stay below 2^31. */
const PIECE = 65_536;

/** The sum of squared differences of two byte arrays of the same length, exact below 2^53. */
export const squaredError = (x: Uint8Array, y: Uint8Array): number => {
  const { reserve, run } = kernels();
  const buffer = reserve(2 * PIECE + 16);
  const memory = new Uint8Array(buffer);
  const sums = new Int32Array(buffer, 2 * PIECE, 4);
  let total = 0;
  for (let from = 0; from < x.length; from += PIECE) {
    const piece = x.subarray(from, from + PIECE);
    memory.set(piece);
    memory.set(y.subarray(from, from + PIECE), PIECE);
    // Pad both to a whole vector by equal bytes, which add nothing.
    memory.fill(0, piece.length, Math.min(PIECE, piece.length + 15));
    memory.fill(0, PIECE + piece.length, Math.min(2 * PIECE, PIECE + piece.length + 15));
    run('squares', 0, piece.length, PIECE, 2 * PIECE);
    for (const sum of sums) total += sum;
  }
  return total;
};

/** Four sums of squared differences. Parameters: bytes, their end, the other bytes, and the sums. */
const squares = (): WasmFunction => {
  const [x, end, y, out, sum, half] = [0, 1, 2, 3, 4, 5];
  const halves = [i16x8.fromLowerBytes, i16x8.fromUpperBytes].flatMap((widen) => [
    ...set(half, i16x8.sub(widen(v128.load(get(x))), widen(v128.load(get(y))))),
    ...set(sum, i32x4.add(get(sum), i32x4.dot(get(half), get(half)))),
  ]);
  return {
    name: 'squares',
    parameters: ['i32', 'i32', 'i32', 'i32'],
    locals: ['v128', 'v128'],
    body: [
      ...set(sum, v128.zero),
      ...repeatWhile([...halves, ...advance([x, y])], i32.isLess(get(x), get(end))),
      ...v128.store(get(out), get(sum)),
    ],
  };
};

const kernels = lazily(() => instantiate([squares()]));
