import { lazily } from '../../kernel/lazily.ts';
import { elementKernels } from '../fourier/element-kernels.ts';
import { radixPasses } from '../fourier/radix-pass.ts';
import { createArena, createTransform, lineBytes } from '../fourier/transform.ts';
import { instantiate } from '../wasm/instance.ts';
import { NUMBER, saliencyKernels } from './kernels.ts';

/** The side of the picture that saliency is computed on. */
export const side = 256;

const GROUPS = side / 4;
const PLANE = 4 * side * side;

/**
 * Band-passes lightness and both colour axes (consecutive planes) and adds the three squared responses. The filter is
 * even, so one transform takes two real planes as real and imaginary part. The result is overwritten by the next call.
 */
export const bandEnergy = (lab: Float32Array): Float32Array => {
  const { kernels, transform, at, memory } = prepared();
  const { run } = kernels;
  memory.set(lab, at.lab / 4);
  for (let group = 0; group < GROUPS; group++) {
    const planes = [0, 1, 2].map((plane) => at.lab + plane * PLANE + 16 * group);
    run('gather', ...planes, at.line, at.line + side * NUMBER, 4 * side);
    const done = transform.run(kernels, at.line, at.other);
    run('transpose', done, at.transposed + 4 * group * NUMBER, done + side * NUMBER, NUMBER, side * NUMBER);
  }
  for (let group = 0; group < GROUPS; group++) {
    const row = at.transposed + group * side * NUMBER;
    const spectrum = transform.run(kernels, row, at.line);
    run('pass', spectrum, at.gains + 16 * group * side, spectrum + side * NUMBER);
    const done = transform.run(kernels, spectrum, spectrum === row ? at.line : row);
    run('transpose', done, at.back + 4 * group * NUMBER, done + side * NUMBER, NUMBER, side * NUMBER);
  }
  for (let group = 0; group < GROUPS; group++) {
    const done = transform.run(kernels, at.back + group * side * NUMBER, at.line);
    run('energy', done, at.energy + 16 * group, done + side * NUMBER, 4 * side);
  }
  return memory.subarray(at.energy / 4, (at.energy + PLANE) / 4);
};

const prepared = lazily(() => {
  const kernels = instantiate([...radixPasses(), ...elementKernels(), ...saliencyKernels()]);
  const arena = createArena();
  const transform = createTransform(side, 2, arena);
  const at = {
    lab: arena.allocate(3 * PLANE),
    energy: arena.allocate(PLANE),
    gains: arena.allocate(PLANE),
    line: arena.allocate(lineBytes(side, 2)),
    other: arena.allocate(lineBytes(side, 2)),
    transposed: arena.allocate(side * side * (NUMBER / 4)),
    back: arena.allocate(side * side * (NUMBER / 4)),
  };
  const buffer = kernels.reserve(arena.used());
  transform.fill(buffer);
  const memory = new Float32Array(buffer);
  memory.set(logGabor(), at.gains / 4);
  return { kernels, transform, at, memory };
});

/** The gains of the band-pass, four rows interleaved, including the scale factor of both transforms. */
const logGabor = (): Float32Array => {
  const gains = new Float32Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const radius = Math.hypot(Math.min(row, side - row), Math.min(column, side - column)) / side;
      const isPassed = radius > 0 && radius <= 0.5;
      const gain = isPassed ? Math.exp(-(Math.log(radius / 0.021) ** 2) / (2 * 1.34 ** 2)) : 0;
      gains[((row >> 2) * side + column) * 4 + (row & 3)] = gain / side ** 2;
    }
  }
  return gains;
};
