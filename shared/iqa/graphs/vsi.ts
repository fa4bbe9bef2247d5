import { featurePlanes } from '../feature-planes.ts';
import { scharrMagnitude } from '../gradient.ts';
import type { GraphRunner, Size, StripMetric } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { mixPlanes, poolingFactor, poolPlanes } from '../pool-planes.ts';
import { weightedMean } from '../weighted-mean.ts';
import { saliency, saliencyGraph, tiny } from './vsi-saliency.ts';
import { stretchAndPool } from './vsi-stretch.ts';

/**
 * Visual saliency index: similarity of saliency, gradient and colour, weighted by saliency. What is shared out between
 * threads are the two pictures: the features of each are its planes.
 */
export const vsi: StripMetric = {
  kind: 'strips',
  name: 'vsi',
  minimumSide: 3,
  rowUnit: 1,
  rows: () => 2,
  arePlanes: true,
  graphs: () => [saliencyGraph()],
  sums: (pair, strip, runner) => features.pack(pair, strip, (pixels) => computeFeatures(pixels, runner)),
  finish(planes) {
    const { similarity, weight } = similarityOf(...features.unpack(planes));
    return weightedMean(similarity, weight, tiny);
  },
  async map({ picture, reference }, runner) {
    const a = await computeFeatures(picture, runner);
    const { similarity } = similarityOf(a, await computeFeatures(reference, runner));
    const { factor, overhang } = poolingOf(picture);
    const start = (factor - 1) / 2 - overhang.before;
    return { width: a.width, height: a.height, values: similarity, left: start, top: start, step: factor };
  },
};

const features = featurePlanes(['saliency', 'gradient', 'm', 'n']);
type Features = ReturnType<typeof features.unpack>[0];

function poolingOf(size: Size) {
  const factor = poolingFactor(size);
  const overhang = { before: Math.floor(factor / 2), after: Math.floor((factor - 1) / 2) };
  return { factor, overhang: factor === 1 ? { before: 0, after: 0 } : overhang };
}

function similarityOf(a: Features, b: Features) {
  const similarity = new Float32Array(a.saliency.length);
  const weight = new Float64Array(a.saliency.length);
  for (let at = 0; at < weight.length; at++) {
    const salient = a.saliency[at] as number;
    const other = b.saliency[at] as number;
    const edges = dice(a.gradient[at] as number, b.gradient[at] as number, 386);
    const colour = dice(a.m[at] as number, b.m[at] as number, 130) * dice(a.n[at] as number, b.n[at] as number, 130);
    // Powers of 0.4 and 0.02, and of the latter the real part, also of a negative base.
    const powers = Math.exp(0.4 * Math.log(edges) + 0.02 * Math.log(Math.abs(colour)));
    similarity[at] = dice(salient, other, 1.27) * powers * (colour < 0 ? Math.cos(0.02 * Math.PI) : 1);
    weight[at] = Math.max(salient, other);
  }
  return { similarity, weight };
}

async function computeFeatures(pixels: Pixels, runner: GraphRunner) {
  const { factor, overhang } = poolingOf(pixels);
  const planes = poolPlanes(pixels, factor, overhang);
  return {
    width: planes.width,
    height: planes.height,
    saliency: stretchAndPool(await saliency(pixels, runner), pixels, factor, overhang),
    gradient: scharrMagnitude(mixPlanes(planes, 0.06, 0.63, 0.27), planes, tiny),
    m: mixPlanes(planes, 0.3, 0.04, -0.35),
    n: mixPlanes(planes, 0.34, -0.6, 0.17),
  };
}

const dice = (a: number, b: number, constant: number): number =>
  (2 * a * b + constant) / (a * a + b * b + constant + 2 ** -23);
