import { keepLast, lazily } from '../../kernel/lazily.ts';
import { featurePlanes } from '../feature-planes.ts';
import { scharrMagnitude } from '../gradient.ts';
import type { GraphRunner, Pair, RowRange, Size, StripMetric } from '../metric.ts';
import { createPlanes, mixPlanes, pooledSize, poolingFactor, poolPlanes } from '../pool-planes.ts';
import { powersOf } from '../powers.ts';
import { saliency, tiny } from './saliency.ts';
import { stretchAndPool } from './stretch.ts';

/** Weights of red, green and blue, and the stabilising constants and exponents of the similarities. */
const FIGURES = {
  lightness: [0.06, 0.63, 0.27],
  m: [0.3, 0.04, -0.35],
  n: [0.34, -0.6, 0.17],
  saliency: 1.27,
  edges: 386,
  colour: 130,
  edge_power: 0.4,
  colour_power: 0.02,
} as const;

/**
 * Visual saliency index: similarity of saliency, gradient and colour, weighted by saliency. Threads take one picture each
 * and return its feature planes.
 */
export const vsi: StripMetric = {
  kind: 'strips',
  name: 'vsi',
  minimumSide: 3,
  rowUnit: 1,
  rows: () => 2,
  arePlanes: true,
  figures: FIGURES,
  graphs: () => [],
  sums: async (pair, strip, runner) => packFeatures(pair, strip, runner),
  finish(planes, picture) {
    const [a, b] = features.unpack(planes, planPooling(picture).size);
    let total = tiny;
    let weights = tiny;
    for (let at = 0; at < a.saliency.length; at++) {
      const weight = Math.max(a.saliency[at] as number, b.saliency[at] as number);
      total += similarityAt(a, b, at) * weight;
      weights += weight;
    }
    return total / weights;
  },
  async map(pair, runner) {
    const { factor, overhang, size } = planPooling(pair.picture);
    const [a, b] = features.unpack(packFeatures(pair, { from: 0, to: 2 }, runner), size);
    const values = a.saliency.map((_, at) => similarityAt(a, b, at));
    const start = (factor - 1) / 2 - overhang.before;
    return { ...size, values, left: start, top: start, step: factor };
  },
};

const features = featurePlanes(['saliency', 'gradient', 'm', 'n']);
type Planes = ReturnType<typeof features.unpack>[0];

function planPooling(picture: Size) {
  const factor = poolingFactor(picture);
  const some = { before: Math.floor(factor / 2), after: Math.floor((factor - 1) / 2) };
  const overhang = factor === 1 ? { before: 0, after: 0 } : some;
  return { factor, overhang, size: pooledSize(picture, factor, overhang) };
}

const [edgePower, colourPower] = [
  lazily(() => powersOf(FIGURES.edge_power)),
  lazily(() => powersOf(FIGURES.colour_power)),
];
/** For a negative base the real part of the power is that of its absolute value times this. */
const NEGATIVE = Math.cos(FIGURES.colour_power * Math.PI);

function similarityAt(a: Planes, b: Planes, at: number): number {
  const edges = dice(a.gradient[at] as number, b.gradient[at] as number, FIGURES.edges);
  const colour =
    dice(a.m[at] as number, b.m[at] as number, FIGURES.colour) *
    dice(a.n[at] as number, b.n[at] as number, FIGURES.colour);
  const powers = edgePower()(edges) * colourPower()(Math.abs(colour));
  return (
    dice(a.saliency[at] as number, b.saliency[at] as number, FIGURES.saliency) * powers * (colour < 0 ? NEGATIVE : 1)
  );
}

function packFeatures(pair: Pair, strip: RowRange, runner: GraphRunner): Float64Array {
  const { factor, overhang, size } = planPooling(pair.picture);
  return features.pack(pair, strip, size, (pixels, planes) => {
    runner.throwIfAborted();
    const { colours, light } = memoryFor(`${size.width} ${size.height}`, () => ({
      colours: createPlanes(size),
      light: new Float32Array(size.width * size.height),
    }));
    poolPlanes(pixels, factor, overhang, colours);
    mixPlanes(colours, FIGURES.lightness, light);
    scharrMagnitude(light, size, tiny, planes.gradient);
    mixPlanes(colours, FIGURES.m, planes.m);
    mixPlanes(colours, FIGURES.n, planes.n);
    stretchAndPool(saliency(pixels), pixels, factor, overhang, planes.saliency);
  });
}

// Consecutive pictures often have one size: allocating planes for each would load the garbage collector.
const memoryFor = keepLast<{ readonly colours: ReturnType<typeof createPlanes>; readonly light: Float32Array }>();

const dice = (a: number, b: number, constant: number): number =>
  (2 * a * b + constant) / (a * a + b * b + constant + 2 ** -23);
