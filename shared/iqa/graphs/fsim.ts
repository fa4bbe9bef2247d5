import { Fault } from '../../kernel/errors.ts';
import { keepLast } from '../../kernel/lazily.ts';
import { featurePlanes } from '../feature-planes.ts';
import { scharrMagnitude } from '../gradient.ts';
import type { GraphRunner, Pair, Size, StripMetric } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { mixPlanes, poolingFactor, poolPlanes, transposePlane, transposePlanes } from '../pool-planes.ts';
import { weightedMean } from '../weighted-mean.ts';
import { epsilon } from './fsim-energy.ts';
import { phaseCongruency, phaseGraphs, phaseTables } from './fsim-phase.ts';

/**
 * FSIMc: similarity of phase congruency, gradient and colour, weighted by phase congruency. What is shared out between
 * threads are the two pictures: the features of each are its planes.
 */
export const fsim: StripMetric = {
  kind: 'strips',
  name: 'fsim',
  minimumSide: 4,
  rowUnit: 1,
  rows: () => 2,
  arePlanes: true,
  graphs: phaseGraphs,
  async sums(pair, strip, runner) {
    // Of two pictures of one colour phase is undefined, and nothing is compared.
    if (isOneColour(pair)) return new Float64Array(0);
    return features.pack(pair, strip, (pixels) => computeFeatures(pixels, runner));
  },
  finish(planes) {
    // The limit of equal pictures.
    if (planes.length === 0) return 1;
    const { similarity, weight } = similarityOf(...features.unpack(planes));
    return weightedMean(similarity, weight);
  },
  async map({ picture, reference }, runner) {
    const { width, height, factor, turned } = layoutOf(picture);
    const { similarity } = similarityOf(
      await computeFeatures(picture, runner),
      await computeFeatures(reference, runner),
    );
    const centre = (factor - 1) / 2;
    const place = { left: centre, top: centre, step: factor };
    if (!turned) return { width, height, values: similarity, ...place };
    return { width: height, height: width, values: transposePlane(similarity, width, height), ...place };
  },
};

const features = featurePlanes(['phase', 'i', 'q', 'gradient']);
type Features = ReturnType<typeof features.unpack>[0];

/** The planes that are compared. The longer axis lies along the rows, where the transform needs half the table. */
function layoutOf(picture: Size) {
  const factor = poolingFactor(picture);
  const turned = picture.height > picture.width;
  const [width, height] = [Math.floor(picture.width / factor), Math.floor(picture.height / factor)];
  return { factor, turned, width: turned ? height : width, height: turned ? width : height };
}

// Matrices and filters of one size serve all pictures of that size in a row.
const tablesFor = keepLast<ReturnType<typeof phaseTables>>();
const longestSide = 4096;

function checkSides(width: number, height: number, picture: Pixels): void {
  if (Math.max(width, height) <= longestSide) return;
  const text = `fsim transforms the picture at a width of ${Math.max(width, height)}, the limit is ${longestSide}; crop the picture of ${picture.width} x ${picture.height} into less narrow parts`;
  throw new Fault('InvalidInput', text, { tool: 'fsim', width: picture.width, height: picture.height });
}

async function computeFeatures(pixels: Pixels, runner: GraphRunner): Promise<Features> {
  const { factor, turned, width, height } = layoutOf(pixels);
  checkSides(width, height, pixels);
  const pooled = poolPlanes(pixels, factor);
  const planes = turned ? transposePlanes(pooled) : pooled;
  const y = mixPlanes(planes, 0.299, 0.587, 0.114);
  if (isFlat(y)) {
    const text = 'fsim is undefined for a picture of one brightness, which has no phase; use ssim or psnr for it';
    throw new Fault('InvalidInput', text, { tool: 'fsim' });
  }
  const tables = tablesFor(`${width} ${height} ${turned}`, () => phaseTables({ width, height }, turned));
  return {
    phase: await phaseCongruency(y, tables, runner),
    i: mixPlanes(planes, 0.5959, -0.2746, -0.3213),
    q: mixPlanes(planes, 0.2115, -0.5227, 0.3112),
    gradient: scharrMagnitude(y, planes, epsilon),
  };
}

const isOneColour = ({ picture, reference }: Pair): boolean =>
  [picture.data, reference.data].every((data) => data.every((value, at) => value === (picture.data[at % 3] as number)));

const isFlat = (plane: Float32Array): boolean => plane.every((value) => value === plane[0]);

function similarityOf(a: Features, b: Features) {
  const similarity = new Float32Array(a.phase.length);
  const weight = new Float64Array(a.phase.length);
  for (let at = 0; at < weight.length; at++) {
    const [p1, p2] = [a.phase[at] as number, b.phase[at] as number];
    const colour = dice(a.i[at] as number, b.i[at] as number, 200) * dice(a.q[at] as number, b.q[at] as number, 200);
    const edges = dice(a.gradient[at] as number, b.gradient[at] as number, 160);
    // A power of 0.03.
    similarity[at] = dice(p1, p2, 0.85) * edges * Math.exp(0.03 * Math.log(Math.abs(colour)));
    weight[at] = Math.max(p1, p2);
  }
  return { similarity, weight };
}

const dice = (a: number, b: number, constant: number): number =>
  (2 * a * b + constant) / (a * a + b * b + constant + epsilon);
