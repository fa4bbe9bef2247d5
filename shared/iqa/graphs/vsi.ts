import { scharrMagnitude } from '../gradient.ts';
import type { GraphRunner, Pair, WholeMetric } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { mixPlanes, type Overhang, poolingFactor, poolPlanes } from '../pool-planes.ts';
import { weightedMean } from '../weighted-mean.ts';
import { saliency, saliencyGraph, tiny } from './vsi-saliency.ts';
import { stretchAndPool } from './vsi-stretch.ts';

/** Visual saliency index: similarity of saliency, gradient and colour, weighted by saliency. */
export const vsi: WholeMetric = {
  kind: 'whole',
  name: 'vsi',
  minimumSide: 3,
  graphs: () => [saliencyGraph()],
  async score(pair, runner) {
    const { similarity, weight } = await compare(pair, runner);
    return weightedMean(similarity, weight, tiny);
  },
  async map(pair, runner) {
    const { similarity, width, height, factor, overhang } = await compare(pair, runner);
    const start = (factor - 1) / 2 - overhang.before;
    return { width, height, values: Float32Array.from(similarity), left: start, top: start, step: factor };
  },
};

async function compare(pair: Pair, runner: GraphRunner) {
  const factor = poolingFactor(pair.picture);
  const overhang = { before: Math.floor(factor / 2), after: Math.floor((factor - 1) / 2) };
  const used = factor === 1 ? { before: 0, after: 0 } : overhang;
  const a = await featuresOf(pair.picture, factor, used, runner);
  const b = await featuresOf(pair.reference, factor, used, runner);
  const similarity = new Float64Array(a.saliency.length);
  const weight = new Float64Array(a.saliency.length);
  for (let at = 0; at < similarity.length; at++) {
    const salient = a.saliency[at] as number;
    const other = b.saliency[at] as number;
    const edges = dice(a.gradient[at] as number, b.gradient[at] as number, 386);
    const colour = dice(a.m[at] as number, b.m[at] as number, 130) * dice(a.n[at] as number, b.n[at] as number, 130);
    similarity[at] = dice(salient, other, 1.27) * edges ** 0.4 * colourTerm(colour);
    weight[at] = Math.max(salient, other);
  }
  return { similarity, weight, width: a.width, height: a.height, factor, overhang: used };
}

async function featuresOf(pixels: Pixels, factor: number, overhang: Overhang, runner: GraphRunner) {
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

// The real part of a power of 0.02, also of a negative base.
const colourTerm = (z: number): number => Math.abs(z) ** 0.02 * (z < 0 ? Math.cos(0.02 * Math.PI) : 1);
