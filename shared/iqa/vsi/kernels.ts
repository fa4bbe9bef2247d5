import { COMPLEX } from '../fourier/complex.ts';
import { type Code, f32x4, get, i32, increment, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';

const { add, mul, negative } = f32x4;

/** Bytes of two complex numbers: lightness with one colour axis, and the other axis alone. */
export const NUMBER = 2 * COMPLEX;

/**
 * Copies four columns of three planes as complex numbers. Parameters: lightness, both colour axes, the target, its end,
 * and bytes per row.
 */
const gather = (): WasmFunction => {
  const [lightness, a, b, target, end, line] = [0, 1, 2, 3, 4, 5];
  const body = [
    ...v128.store(get(target), v128.load(get(lightness))),
    ...v128.store(get(target), v128.load(get(a)), 16),
    ...v128.store(get(target), v128.load(get(b)), 32),
    ...v128.store(get(target), v128.zero, 48),
    ...[lightness, a, b].flatMap((plane) => increment(plane, get(line))),
    ...increment(target, i32.constant(NUMBER)),
  ];
  return {
    name: 'gather',
    parameters: new Array(6).fill('i32'),
    locals: [],
    body: repeatWhile(body, i32.isLess(get(target), get(end))),
  };
};

/**
 * Multiplies the conjugate of a spectrum by gains, in place, so that the next transform is the inverse one (conjugated).
 * Parameters: spectrum, gains, and end of the spectrum.
 */
const pass = (): WasmFunction => {
  const [spectrum, gains, end, gain, against] = [0, 1, 2, 3, 4];
  const body = [
    ...set(gain, v128.load(get(gains))),
    ...set(against, negative(get(gain))),
    ...[gain, against, gain, against].flatMap((factor, at) =>
      v128.store(get(spectrum), mul(v128.load(get(spectrum), 16 * at), get(factor)), 16 * at),
    ),
    ...increment(spectrum, i32.constant(NUMBER)),
    ...increment(gains, i32.constant(16)),
  ];
  return {
    name: 'pass',
    parameters: new Array(3).fill('i32'),
    locals: ['v128', 'v128'],
    body: repeatWhile(body, i32.isLess(get(spectrum), get(end))),
  };
};

/** Adds the three squared responses. Parameters: responses, the plane to write, end of the responses, bytes per row. */
const energy = (): WasmFunction => {
  const [responses, plane, end, line, value] = [0, 1, 2, 3, 4];
  const square = (at: number): Code => [
    ...set(value, v128.load(get(responses), 16 * at)),
    ...mul(get(value), get(value)),
  ];
  const body = [
    ...v128.store(get(plane), add(add(square(0), square(1)), square(2))),
    ...increment(responses, i32.constant(NUMBER)),
    ...increment(plane, get(line)),
  ];
  return {
    name: 'energy',
    parameters: new Array(4).fill('i32'),
    locals: ['v128'],
    body: repeatWhile(body, i32.isLess(get(responses), get(end))),
  };
};

export const saliencyKernels = (): readonly WasmFunction[] => [gather(), pass(), energy()];
