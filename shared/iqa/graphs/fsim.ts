import { Fault } from '../../kernel/errors.ts';
import { keepLast } from '../../kernel/lazily.ts';
import { scharrMagnitude } from '../gradient.ts';
import type { GraphRunner, Pair, WholeMetric } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { mixPlanes, poolingFactor, poolPlanes, transposePlane, transposePlanes } from '../pool-planes.ts';
import { weightedMean } from '../weighted-mean.ts';
import { epsilon, phaseCongruency, phaseGraphs, phaseTables } from './fsim-phase.ts';

/** FSIMc: similarity of phase congruency, gradient and colour, weighted by phase congruency. */
export const fsim: WholeMetric = {
  kind: 'whole',
  name: 'fsim',
  minimumSide: 4,
  graphs: phaseGraphs,
  async score(pair, runner) {
    // The limit of equal pictures, where phase is undefined.
    if (isOneColour(pair)) return 1;
    const { similarity, weight } = await compare(pair, runner);
    return weightedMean(similarity, weight);
  },
  async map(pair, runner) {
    const { similarity, turned, width, height, factor } = await compare(pair, runner);
    const centre = (factor - 1) / 2;
    const place = { left: centre, top: centre, step: factor };
    if (!turned) return { width, height, values: similarity, ...place };
    return { width: height, height: width, values: transposePlane(similarity, width, height), ...place };
  },
};

async function compare(pair: Pair, runner: GraphRunner) {
  const factor = poolingFactor(pair.picture);
  // The longer axis lies along the rows, where the transform needs half the table.
  const turned = pair.picture.height > pair.picture.width;
  const first = featuresOf(pair.picture, factor, turned);
  const second = featuresOf(pair.reference, factor, turned);
  const { width, height } = first;
  checkSides(width, height, pair.picture);
  const tables = tablesFor(`${width} ${height} ${turned}`, () => phaseTables({ width, height }, turned));
  const pc1 = await phaseCongruency(first.y, tables, runner);
  const pc2 = await phaseCongruency(second.y, tables, runner);
  return { ...similarityOf(first, second, pc1, pc2), turned, width, height, factor };
}

// Matrices and filters of one size serve all pictures of that size in a row.
const tablesFor = keepLast<ReturnType<typeof phaseTables>>();
const longestSide = 4096;

function checkSides(width: number, height: number, picture: Pixels): void {
  if (Math.max(width, height) <= longestSide) return;
  const text = `fsim transforms the picture at a width of ${Math.max(width, height)}, the limit is ${longestSide}; crop the picture of ${picture.width} x ${picture.height} into less narrow parts`;
  throw new Fault('InvalidInput', text, { tool: 'fsim', width: picture.width, height: picture.height });
}

interface Features {
  readonly width: number;
  readonly height: number;
  readonly y: Float32Array;
  readonly i: Float32Array;
  readonly q: Float32Array;
  readonly gradient: Float32Array;
}

function featuresOf(pixels: Pixels, factor: number, turned: boolean): Features {
  const pooled = poolPlanes(pixels, factor);
  const planes = turned ? transposePlanes(pooled) : pooled;
  const y = mixPlanes(planes, 0.299, 0.587, 0.114);
  if (isFlat(y)) {
    const text = 'fsim is undefined for a picture of one brightness, which has no phase; use ssim or psnr for it';
    throw new Fault('InvalidInput', text, { tool: 'fsim' });
  }
  return {
    width: planes.width,
    height: planes.height,
    y,
    i: mixPlanes(planes, 0.5959, -0.2746, -0.3213),
    q: mixPlanes(planes, 0.2115, -0.5227, 0.3112),
    gradient: scharrMagnitude(y, planes, epsilon),
  };
}

const isOneColour = ({ picture, reference }: Pair): boolean =>
  [picture.data, reference.data].every((data) => data.every((value, at) => value === (picture.data[at % 3] as number)));

const isFlat = (plane: Float32Array): boolean => plane.every((value) => value === plane[0]);

function similarityOf(a: Features, b: Features, pc1: Float64Array, pc2: Float64Array) {
  const similarity = new Float32Array(pc1.length);
  const weight = new Float64Array(pc1.length);
  for (let at = 0; at < pc1.length; at++) {
    const p1 = pc1[at] as number;
    const p2 = pc2[at] as number;
    const colour = dice(a.i[at] as number, b.i[at] as number, 200) * dice(a.q[at] as number, b.q[at] as number, 200);
    similarity[at] =
      dice(p1, p2, 0.85) * dice(a.gradient[at] as number, b.gradient[at] as number, 160) * Math.abs(colour) ** 0.03;
    weight[at] = Math.max(p1, p2);
  }
  return { similarity, weight };
}

const dice = (a: number, b: number, constant: number): number =>
  (2 * a * b + constant) / (a * a + b * b + constant + epsilon);
