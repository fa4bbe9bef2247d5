import { keepLast, lazily } from '../../kernel/lazily.ts';
import { type Code, f32x4, get, i32, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { instantiate } from '../wasm/instance.ts';
import { scaleCount } from './fsim-filters.ts';

/** float32's epsilon, which the reference adds everywhere. */
export const epsilon = 2 ** -23;

/** Places that go through vector code at a time: few enough to stay in the processor's cache. */
const PIECE = 4096;

export interface Energies {
  /** The amplitude of the finest scale, the energy along the mean phase, and the amplitude of all scales. */
  readonly finest: Float32Array;
  readonly energy: Float32Array;
  readonly amplitude: Float32Array;
}

// Planes of one size serve all orientations: new ones for each would keep the garbage collection busy.
const memoryFor = keepLast<Energies>();

/**
 * From the even responses of all scales and, behind them, the odd ones. Graphs would write a plane for each operation.
 * The result is overwritten by the next call.
 */
export const computeEnergies = (responses: Float32Array): Energies => {
  const { reserve, run } = kernels();
  const length = responses.length / (2 * scaleCount);
  const memory = new Float32Array(reserve(4 * PIECE * (2 * scaleCount + 3)));
  const out = memoryFor(String(length), () => ({
    finest: new Float32Array(length),
    energy: new Float32Array(length),
    amplitude: new Float32Array(length),
  }));
  for (let from = 0; from < length; from += PIECE) {
    const count = Math.min(PIECE, length - from);
    for (let plane = 0; plane < 2 * scaleCount; plane++)
      memory.set(responses.subarray(plane * length + from, plane * length + from + count), plane * PIECE);
    run('energies', 0, 4 * count);
    const result = (at: number): Float32Array => {
      const start = (2 * scaleCount + at) * PIECE;
      return memory.subarray(start, start + count);
    };
    out.finest.set(result(0), from);
    out.energy.set(result(1), from);
    out.amplitude.set(result(2), from);
  }
  return out;
};

/** Parameters: the place, from 0 on, and where places end, in bytes; planes lie a piece apart, results after responses. */
const energies = (): WasmFunction => {
  const [place, end, along, across, energy, total, e, m, amplitude] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const offset = (plane: number): number => 4 * PIECE * plane;
  const load = (plane: number): Code => v128.load(get(place), offset(plane));
  const scales = Array.from({ length: scaleCount }, (_, scale) => scale);
  const length = (a: Code, b: Code): Code => f32x4.sqrt(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)));
  const direction = [
    ...set(e, scales.map((scale) => load(scale)).reduce(f32x4.add)),
    ...set(m, scales.map((scale) => load(scaleCount + scale)).reduce(f32x4.add)),
    ...set(total, f32x4.add(length(get(e), get(m)), f32x4.splat(epsilon))),
    ...set(along, f32x4.div(get(e), get(total))),
    ...set(across, f32x4.div(get(m), get(total))),
  ];
  const addScale = (scale: number): Code => {
    const forward = f32x4.add(f32x4.mul(get(e), get(along)), f32x4.mul(get(m), get(across)));
    const aside = f32x4.abs(f32x4.sub(f32x4.mul(get(e), get(across)), f32x4.mul(get(m), get(along))));
    return [
      ...set(e, load(scale)),
      ...set(m, load(scaleCount + scale)),
      ...set(amplitude, length(get(e), get(m))),
      ...(scale === 0 ? v128.store(get(place), get(amplitude), offset(2 * scaleCount)) : []),
      ...set(total, f32x4.add(get(total), get(amplitude))),
      ...set(energy, f32x4.add(get(energy), f32x4.sub(forward, aside))),
    ];
  };
  const body = [
    ...direction,
    ...set(total, v128.zero),
    ...set(energy, v128.zero),
    ...scales.flatMap(addScale),
    ...v128.store(get(place), get(energy), offset(2 * scaleCount + 1)),
    ...v128.store(get(place), get(total), offset(2 * scaleCount + 2)),
    ...set(place, i32.add(get(place), i32.constant(16))),
  ];
  return {
    name: 'energies',
    parameters: ['i32', 'i32'],
    locals: new Array(7).fill('v128'),
    body: repeatWhile(body, i32.isLess(get(place), get(end))),
  };
};

const kernels = lazily(() => instantiate([energies()]));
