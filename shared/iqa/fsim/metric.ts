import { Fault } from '../../kernel/errors.ts';
import { keepLast, lazily } from '../../kernel/lazily.ts';
import { featurePlanes } from '../feature-planes.ts';
import { scharrMagnitude } from '../gradient.ts';
import type { GraphRunner, Pair, RowRange, Size, StripMetric } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { createPlanes, mixPlanes, pooledSize, poolingFactor, poolPlanes } from '../pool-planes.ts';
import { powersOf } from '../powers.ts';
import { epsilon } from './energy.ts';
import { phaseCongruency } from './phase.ts';

/** Weights of red, green and blue, and the stabilising constants and exponents of the similarities. */
const FIGURES = {
  luma: [0.299, 0.587, 0.114],
  i: [0.5959, -0.2746, -0.3213],
  q: [0.2115, -0.5227, 0.3112],
  phase: 0.85,
  edges: 160,
  colour: 200,
  colour_power: 0.03,
} as const;

/**
 * FSIMc: similarity of phase congruency, gradient and colour, weighted by phase congruency. Threads take one picture
 * each and return its feature planes.
 */
export const fsim: StripMetric = {
  kind: 'strips',
  name: 'fsim',
  minimumSide: 4,
  rowUnit: 1,
  rows: () => 2,
  arePlanes: true,
  figures: FIGURES,
  graphs: () => [],
  async sums(pair, strip, runner) {
    // The phase of two pictures of one colour is undefined: there is nothing to compare.
    return isOneColour(pair) ? new Float64Array(0) : packFeatures(pair, strip, runner);
  },
  finish(planes, picture) {
    // Two equal pictures of one colour: the limit of the formula is 1.
    if (planes.length === 0) return 1;
    const [a, b] = features.unpack(planes, layoutOf(picture));
    let total = 0;
    let weights = 0;
    for (let at = 0; at < a.phase.length; at++) {
      const weight = Math.max(a.phase[at] as number, b.phase[at] as number);
      total += similarityAt(a, b, at) * weight;
      weights += weight;
    }
    return total / weights;
  },
  async map(pair, runner) {
    const { width, height, factor } = layoutOf(pair.picture);
    const [a, b] = features.unpack(packFeatures(pair, { from: 0, to: 2 }, runner), { width, height });
    const values = a.phase.map((_, at) => similarityAt(a, b, at));
    const centre = (factor - 1) / 2;
    return { width, height, values, left: centre, top: centre, step: factor };
  },
};

const features = featurePlanes(['phase', 'i', 'q', 'gradient']);
type Planes = ReturnType<typeof features.unpack>[0];

/** The size of the compared planes. */
function layoutOf(picture: Size) {
  const factor = poolingFactor(picture);
  return { factor, ...pooledSize(picture, factor) };
}

const longestSide = 4096;

function checkSides(width: number, height: number, picture: Pixels): void {
  if (Math.max(width, height) <= longestSide) return;
  const text = `fsim transforms the picture at a width of ${Math.max(width, height)}, the limit is ${longestSide}; crop the picture of ${picture.width} x ${picture.height} to a less elongated shape`;
  throw new Fault('InvalidInput', text, { tool: 'fsim', width: picture.width, height: picture.height });
}

function packFeatures(pair: Pair, strip: RowRange, runner: GraphRunner): Float64Array {
  const { factor, ...size } = layoutOf(pair.picture);
  checkSides(size.width, size.height, pair.picture);
  return features.pack(pair, strip, size, (pixels, planes) => {
    runner.throwIfAborted();
    const { colours, luma } = memoryFor(`${size.width} ${size.height}`, () => ({
      colours: createPlanes(size),
      luma: new Float32Array(size.width * size.height),
    }));
    poolPlanes(pixels, factor, undefined, colours);
    mixPlanes(colours, FIGURES.luma, luma);
    if (isFlat(luma)) {
      const text = 'fsim is undefined for a picture of one brightness, which has no phase; use ssim or psnr for it';
      throw new Fault('InvalidInput', text, { tool: 'fsim' });
    }
    planes.phase.set(phaseCongruency(luma, size));
    mixPlanes(colours, FIGURES.i, planes.i);
    mixPlanes(colours, FIGURES.q, planes.q);
    scharrMagnitude(luma, size, epsilon, planes.gradient);
  });
}

// Consecutive pictures often have one size: allocating planes for each would load the garbage collector.
const memoryFor = keepLast<{ readonly colours: ReturnType<typeof createPlanes>; readonly luma: Float32Array }>();

const isOneColour = ({ picture, reference }: Pair): boolean =>
  [picture.data, reference.data].every((data) => data.every((value, at) => value === (picture.data[at % 3] as number)));

const isFlat = (plane: Float32Array): boolean => plane.every((value) => value === plane[0]);

const colourPower = lazily(() => powersOf(FIGURES.colour_power));

function similarityAt(a: Planes, b: Planes, at: number): number {
  const colour =
    dice(a.i[at] as number, b.i[at] as number, FIGURES.colour) *
    dice(a.q[at] as number, b.q[at] as number, FIGURES.colour);
  const edges = dice(a.gradient[at] as number, b.gradient[at] as number, FIGURES.edges);
  return dice(a.phase[at] as number, b.phase[at] as number, FIGURES.phase) * edges * colourPower()(Math.abs(colour));
}

const dice = (a: number, b: number, constant: number): number =>
  (2 * a * b + constant) / (a * a + b * b + constant + epsilon);
