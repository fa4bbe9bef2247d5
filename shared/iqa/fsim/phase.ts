import { keepLast, lazily } from '../../kernel/lazily.ts';
import { COMPLEX } from '../fourier/complex.ts';
import { elementKernels } from '../fourier/element-kernels.ts';
import { radixPasses } from '../fourier/radix-pass.ts';
import { createPlaces, createTransform, lineBytes } from '../fourier/transform.ts';
import { lowerMedian } from '../median.ts';
import type { Size } from '../metric.ts';
import { instantiate } from '../wasm/instance.ts';
import { epsilon, phaseKernels } from './energy.ts';
import { phaseFilters, scaleCount } from './filters.ts';

const kernels = lazily(() => instantiate([...radixPasses(), ...elementKernels(), ...phaseKernels()]));

// Tables and filters of one size serve all pictures of that size in a row.
const layoutFor = keepLast<Layout>();

/**
 * Phase congruency of a luma plane, by four orientations and four scales. The four scales are transformed side by side, and
 * as real and imaginary part of one response its even and its odd one.
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

/** What depends on the size alone, and where everything lies. */
function layOut({ width, height }: Size) {
  const places = createPlaces();
  const filters = phaseFilters({ width, height });
  const [columnGroups, rowGroups] = [Math.ceil(width / 4), Math.ceil(height / 4)];
  const transforms = {
    down: createTransform(height, 1, places),
    along: createTransform(width, 1, places),
    alongAll: createTransform(width, scaleCount, places),
    downAll: createTransform(height, scaleCount, places),
  };
  const plane = 16 * columnGroups * height;
  const longest = lineBytes(Math.max(width, height), scaleCount);
  const at = {
    radial: places.take(filters.radial.byteLength),
    angular: filters.orientations.map(({ angular }) => places.take(angular.byteLength)),
    luma: places.take(plane),
    finest: places.take(plane),
    single: places.take(plane),
    energy: places.take(plane),
    amplitude: places.take(plane),
    line: places.take(longest),
    otherLine: places.take(longest),
    spectrum: places.take(4 * columnGroups * rowGroups * COMPLEX),
    turned: places.take(16 * columnGroups * rowGroups * scaleCount * COMPLEX),
  };
  const memory = kernels().reserve(places.used());
  for (const transform of Object.values(transforms)) transform.fill(memory);
  new Float32Array(memory, at.radial, filters.radial.length).set(filters.radial);
  filters.orientations.forEach(({ angular }, orientation) => {
    new Float32Array(memory, at.angular[orientation], angular.length).set(angular);
  });
  return { width, height, rows: height, columnGroups, rowGroups, line: 16 * columnGroups, transforms, at, filters };
}

/** Down the columns, four at a time, then along the rows: the conjugate spectrum, four rows side by side. */
function transformForward({ width, height, columnGroups, rowGroups, line, transforms, at }: Layout, bytes: Uint8Array) {
  const { run } = kernels();
  const rowBytes = 4 * columnGroups * COMPLEX;
  for (let group = 0; group < columnGroups; group++) {
    run('gather', at.luma + 16 * group, at.line, at.line + height * COMPLEX, line);
    const done = transforms.down.run(kernels(), at.line, at.otherLine);
    run('turn', done, at.turned + 4 * group * COMPLEX, done + height * COMPLEX, COMPLEX, rowBytes);
  }
  for (let group = 0; group < rowGroups; group++) {
    const done = transforms.along.run(kernels(), at.turned + group * rowBytes, at.line);
    bytes.copyWithin(at.spectrum + group * width * COMPLEX, done, done + width * COMPLEX);
  }
}

/** The responses of one orientation: amplitude of the finest scale and energy, and the amplitude of all added up. */
function respond({ width, height, columnGroups, rowGroups, line, transforms, at }: Layout, orientation: number): void {
  const { run } = kernels();
  const number = scaleCount * COMPLEX;
  const columnBytes = 4 * rowGroups * number;
  for (let group = 0; group < rowGroups; group++) {
    const [first, from] = [group * width, at.spectrum + group * width * COMPLEX];
    const angular = (at.angular[orientation] as number) + 16 * first;
    run('filter', from, at.radial + 16 * scaleCount * first, angular, at.line, from + width * COMPLEX);
    const done = transforms.alongAll.run(kernels(), at.line, at.otherLine);
    run('turn', done, at.turned + 4 * group * number, done + width * number, number, columnBytes);
  }
  for (let group = 0; group < columnGroups; group++) {
    const done = transforms.downAll.run(kernels(), at.turned + group * columnBytes, at.line);
    const planes = [at.finest, at.single, at.amplitude].map((plane) => plane + 16 * group);
    run('energies', done, ...planes, done + height * number, line);
  }
}

/** Rows in memory are of whole groups of four. */
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
