import { COMPLEX } from '../fourier/complex.ts';
import { type Code, f32x4, get, i32, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';

const step = (local: number, by: Code): Code => set(local, i32.add(get(local), by));
const { add, mul, negative } = f32x4;

/** Two complex numbers side by side: lightness and one colour axis, and the other axis alone. */
export const NUMBER = 2 * COMPLEX;

/**
 * Parameters: four numbers in a row of lightness, those of both colour axes, complex numbers to write, where they end, and
 * the bytes of a row.
 */
const gather = (): WasmFunction => {
  const [lightness, a, b, target, end, line] = [0, 1, 2, 3, 4, 5];
  const body = [
    ...v128.store(get(target), v128.load(get(lightness))),
    ...v128.store(get(target), v128.load(get(a)), 16),
    ...v128.store(get(target), v128.load(get(b)), 32),
    ...v128.store(get(target), v128.zero, 48),
    ...[lightness, a, b].flatMap((plane) => step(plane, get(line))),
    ...step(target, i32.constant(NUMBER)),
  ];
  return {
    name: 'gather',
    parameters: new Array(6).fill('i32'),
    locals: [],
    body: repeatWhile(body, i32.isLess(get(target), get(end))),
  };
};

/**
 * Conjugates of a spectrum times gains, in place: the next transform then leads back, to conjugates.
 * Parameters: spectrum, gains, and where the spectrum ends.
 */
const pass = (): WasmFunction => {
  const [spectrum, gains, end, gain, against] = [0, 1, 2, 3, 4];
  const body = [
    ...set(gain, v128.load(get(gains))),
    ...set(against, negative(get(gain))),
    ...[gain, against, gain, against].flatMap((factor, at) =>
      v128.store(get(spectrum), mul(v128.load(get(spectrum), 16 * at), get(factor)), 16 * at),
    ),
    ...step(spectrum, i32.constant(NUMBER)),
    ...step(gains, i32.constant(16)),
  ];
  return {
    name: 'pass',
    parameters: new Array(3).fill('i32'),
    locals: ['v128', 'v128'],
    body: repeatWhile(body, i32.isLess(get(spectrum), get(end))),
  };
};

/** The three squared responses added. Parameters: responses, the plane to write, where responses end, the bytes of a row. */
const energy = (): WasmFunction => {
  const [responses, plane, end, line, value] = [0, 1, 2, 3, 4];
  const square = (at: number): Code => [
    ...set(value, v128.load(get(responses), 16 * at)),
    ...mul(get(value), get(value)),
  ];
  const body = [
    ...v128.store(get(plane), add(add(square(0), square(1)), square(2))),
    ...step(responses, i32.constant(NUMBER)),
    ...step(plane, get(line)),
  ];
  return {
    name: 'energy',
    parameters: new Array(4).fill('i32'),
    locals: ['v128'],
    body: repeatWhile(body, i32.isLess(get(responses), get(end))),
  };
};

export const saliencyKernels = (): readonly WasmFunction[] => [gather(), pass(), energy()];
