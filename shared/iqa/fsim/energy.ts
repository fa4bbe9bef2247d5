import { COMPLEX } from '../fourier/complex.ts';
import { type Code, f32x4, get, i32, increment, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { scaleCount } from './filters.ts';

/** float32's epsilon, which the reference implementation adds to every denominator. */
export const epsilon = 2 ** -23;

const SCALES = Array.from({ length: scaleCount }, (_, scale) => scale);
const { add, sub, mul, div, abs, sqrt, max, splat, negative } = f32x4;

/** Copies four columns of a plane as complex numbers. Parameters: the plane, the target, its end, and bytes per row. */
const gather = (): WasmFunction => {
  const [source, target, end, line] = [0, 1, 2, 3];
  const body = [
    ...v128.store(get(target), v128.load(get(source))),
    ...v128.store(get(target), v128.zero, 16),
    ...increment(source, get(line)),
    ...increment(target, i32.constant(COMPLEX)),
  ];
  return {
    name: 'gather',
    parameters: new Array(4).fill('i32'),
    locals: [],
    body: repeatWhile(body, i32.isLess(get(target), get(end))),
  };
};

/**
 * Multiplies the conjugate spectrum by the gains of each scale. Parameters: spectrum, radial gains of all scales, angular
 * gains, target, and end of the spectrum.
 */
const filter = (): WasmFunction => {
  const [spectrum, radial, angular, target, end, re, im, gain] = [0, 1, 2, 3, 4, 5, 6, 7];
  const body = [
    ...set(re, mul(v128.load(get(spectrum)), v128.load(get(angular)))),
    ...set(im, negative(mul(v128.load(get(spectrum), 16), v128.load(get(angular))))),
    ...SCALES.flatMap((scale) => [
      ...set(gain, v128.load(get(radial), 16 * scale)),
      ...v128.store(get(target), mul(get(re), get(gain)), COMPLEX * scale),
      ...v128.store(get(target), mul(get(im), get(gain)), COMPLEX * scale + 16),
    ]),
    ...increment(spectrum, i32.constant(COMPLEX)),
    ...increment(radial, i32.constant(16 * scaleCount)),
    ...increment(angular, i32.constant(16)),
    ...increment(target, i32.constant(COMPLEX * scaleCount)),
  ];
  return {
    name: 'filter',
    parameters: new Array(5).fill('i32'),
    locals: new Array(3).fill('v128'),
    body: repeatWhile(body, i32.isLess(get(spectrum), get(end))),
  };
};

/**
 * From the responses of all scales (even part real, odd part imaginary): writes the amplitude of the finest scale and the
 * energy along the mean phase, and adds the amplitude of all scales to its plane. Parameters: responses, the three
 * planes, end of the responses, and bytes per row of a plane.
 */
const energies = (): WasmFunction => {
  const [responses, finest, energyPlane, amplitudePlane, end, line] = [0, 1, 2, 3, 4, 5];
  const [along, across, energy, total, e, m, amplitude] = [6, 7, 8, 9, 10, 11, 12];
  const even = (scale: number): Code => v128.load(get(responses), COMPLEX * scale);
  const odd = (scale: number): Code => v128.load(get(responses), COMPLEX * scale + 16);
  const length = (a: Code, b: Code): Code => sqrt(add(mul(a, a), mul(b, b)));
  const direction = [
    ...set(e, SCALES.map(even).reduce(add)),
    ...set(m, SCALES.map(odd).reduce(add)),
    ...set(total, add(length(get(e), get(m)), splat(epsilon))),
    ...set(along, div(get(e), get(total))),
    ...set(across, div(get(m), get(total))),
  ];
  const addScale = (scale: number): Code => {
    const forward = add(mul(get(e), get(along)), mul(get(m), get(across)));
    const aside = abs(sub(mul(get(e), get(across)), mul(get(m), get(along))));
    return [
      ...set(e, even(scale)),
      ...set(m, odd(scale)),
      ...set(amplitude, length(get(e), get(m))),
      ...(scale === 0 ? v128.store(get(finest), get(amplitude)) : []),
      ...set(total, add(get(total), get(amplitude))),
      ...set(energy, add(get(energy), sub(forward, aside))),
    ];
  };
  const body = [
    ...direction,
    ...set(total, v128.load(get(amplitudePlane))),
    ...set(energy, v128.zero),
    ...SCALES.flatMap(addScale),
    ...v128.store(get(energyPlane), get(energy)),
    ...v128.store(get(amplitudePlane), get(total)),
    ...[finest, energyPlane, amplitudePlane].flatMap((plane) => increment(plane, get(line))),
    ...increment(responses, i32.constant(COMPLEX * scaleCount)),
  ];
  return {
    name: 'energies',
    parameters: new Array(6).fill('i32'),
    locals: new Array(7).fill('v128'),
    body: repeatWhile(body, i32.isLess(get(responses), get(end))),
  };
};

/** Adds the part above a threshold to the sums. Parameters: a plane, the sums, end of the plane, and the threshold. */
const addAbove = (): WasmFunction => {
  const [plane, sums, end, threshold, low] = [0, 1, 2, 3, 4];
  const above = max(sub(v128.load(get(plane)), get(low)), v128.zero);
  const body = [
    ...v128.store(get(sums), add(v128.load(get(sums)), above)),
    ...increment(plane, i32.constant(16)),
    ...increment(sums, i32.constant(16)),
  ];
  return {
    name: 'addAbove',
    parameters: ['i32', 'i32', 'i32', 'f32'],
    locals: ['v128'],
    body: [...set(low, f32x4.splatOf(get(threshold))), ...repeatWhile(body, i32.isLess(get(plane), get(end)))],
  };
};

export const phaseKernels = (): readonly WasmFunction[] => [gather(), filter(), energies(), addAbove()];
