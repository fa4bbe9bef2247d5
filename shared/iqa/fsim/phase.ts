import { keepLast, lazily } from '../../kernel/lazily.ts';
import { COMPLEX } from '../fourier/complex.ts';
import { elementKernels } from '../fourier/element-kernels.ts';
import { radixPasses } from '../fourier/radix-pass.ts';
import { createArena, createTransform, lineBytes } from '../fourier/transform.ts';
import { lowerMedian } from '../median.ts';
import type { Size } from '../metric.ts';
import { instantiate } from '../wasm/instance.ts';
import { epsilon, phaseKernels } from './energy.ts';
import { phaseFilters, scaleCount } from './filters.ts';

const kernels = lazily(() => instantiate([...radixPasses(), ...elementKernels(), ...phaseKernels()]));

// Consecutive pictures often have one size, and share its tables and filters.
const layoutFor = keepLast<Layout>();

/**
 * Phase congruency of a luma plane over four orientations and four scales. The four scales are transformed side by side;
 * the real and imaginary parts of a response are its even and odd filter.
 */
export function phaseCongruency(luma: Float32Array, size: Size): Float32Array {
  const layout = layoutFor(`${size.width} ${size.height}`, () => layOut(size));
  const { at, line, rows } = layout;
  const bytes = new Uint8Array(kernels().reserve(0));
  writePlane(luma, layout);
  transformForward(layout, bytes);
  bytes.fill(0, at.amplitude, at.amplitude + line * rows);
  bytes.fill(0, at.energy, at.energy + line * rows);
  layout.filters.orientations.forEach(({ threshold }, orientation) => {
    respond(layout, orientation);
    kernels().run(
      'addAbove',
      at.single,
      at.energy,
      at.single + line * rows,
      threshold * lowerMedian(readPlane(at.finest, layout)),
    );
  });
  const [energy, amplitude] = [readPlane(at.energy, layout), readPlane(at.amplitude, layout)];
  for (let place = 0; place < energy.length; place++)
    energy[place] = ((energy[place] as number) + epsilon) / ((amplitude[place] as number) + epsilon);
  return energy;
}

type Layout = ReturnType<typeof layOut>;

/** The filters, transforms and memory layout for one size of picture. */
function layOut({ width, height }: Size) {
  const arena = createArena();
  const filters = phaseFilters({ width, height });
  const [columnGroups, rowGroups] = [Math.ceil(width / 4), Math.ceil(height / 4)];
  const transforms = {
    down: createTransform(height, 1, arena),
    along: createTransform(width, 1, arena),
    alongAll: createTransform(width, scaleCount, arena),
    downAll: createTransform(height, scaleCount, arena),
  };
  const plane = 16 * columnGroups * height;
  const longest = lineBytes(Math.max(width, height), scaleCount);
  const at = {
    radial: arena.allocate(filters.radial.byteLength),
    angular: filters.orientations.map(({ angular }) => arena.allocate(angular.byteLength)),
    luma: arena.allocate(plane),
    finest: arena.allocate(plane),
    single: arena.allocate(plane),
    energy: arena.allocate(plane),
    amplitude: arena.allocate(plane),
    line: arena.allocate(longest),
    otherLine: arena.allocate(longest),
    spectrum: arena.allocate(4 * columnGroups * rowGroups * COMPLEX),
    transposed: arena.allocate(16 * columnGroups * rowGroups * scaleCount * COMPLEX),
  };
  const memory = kernels().reserve(arena.used());
  for (const transform of Object.values(transforms)) transform.fill(memory);
  new Float32Array(memory, at.radial, filters.radial.length).set(filters.radial);
  filters.orientations.forEach(({ angular }, orientation) => {
    new Float32Array(memory, at.angular[orientation], angular.length).set(angular);
  });
  return { width, height, rows: height, columnGroups, rowGroups, line: 16 * columnGroups, transforms, at, filters };
}

/** Transforms columns, four at a time, then rows: the conjugate spectrum with four rows interleaved. */
function transformForward({ width, height, columnGroups, rowGroups, line, transforms, at }: Layout, bytes: Uint8Array) {
  const { run } = kernels();
  const rowBytes = 4 * columnGroups * COMPLEX;
  for (let group = 0; group < columnGroups; group++) {
    run('gather', at.luma + 16 * group, at.line, at.line + height * COMPLEX, line);
    const done = transforms.down.run(kernels(), at.line, at.otherLine);
    run('transpose', done, at.transposed + 4 * group * COMPLEX, done + height * COMPLEX, COMPLEX, rowBytes);
  }
  for (let group = 0; group < rowGroups; group++) {
    const done = transforms.along.run(kernels(), at.transposed + group * rowBytes, at.line);
    bytes.copyWithin(at.spectrum + group * width * COMPLEX, done, done + width * COMPLEX);
  }
}

/** The responses of one orientation: amplitude of the finest scale, energy, and the running sum of amplitudes. */
function respond({ width, height, columnGroups, rowGroups, line, transforms, at }: Layout, orientation: number): void {
  const { run } = kernels();
  const number = scaleCount * COMPLEX;
  const columnBytes = 4 * rowGroups * number;
  for (let group = 0; group < rowGroups; group++) {
    const [first, from] = [group * width, at.spectrum + group * width * COMPLEX];
    const angular = (at.angular[orientation] as number) + 16 * first;
    run('filter', from, at.radial + 16 * scaleCount * first, angular, at.line, from + width * COMPLEX);
    const done = transforms.alongAll.run(kernels(), at.line, at.otherLine);
    run('transpose', done, at.transposed + 4 * group * number, done + width * number, number, columnBytes);
  }
  for (let group = 0; group < columnGroups; group++) {
    const done = transforms.downAll.run(kernels(), at.transposed + group * columnBytes, at.line);
    const planes = [at.finest, at.single, at.amplitude].map((plane) => plane + 16 * group);
    run('energies', done, ...planes, done + height * number, line);
  }
}

/** Rows in the kernels' memory are padded to whole groups of four. */
function writePlane(plane: Float32Array, { width, height, line, at }: Layout): void {
  const memory = new Float32Array(kernels().reserve(0), at.luma, (height * line) / 4);
  for (let y = 0; y < height; y++) memory.set(plane.subarray(y * width, (y + 1) * width), (y * line) / 4);
}

function readPlane(start: number, { width, height, line }: Layout): Float32Array {
  const memory = new Float32Array(kernels().reserve(0), start, (height * line) / 4);
  const plane = new Float32Array(width * height);
  for (let y = 0; y < height; y++) plane.set(memory.subarray((y * line) / 4, (y * line) / 4 + width), y * width);
  return plane;
}
