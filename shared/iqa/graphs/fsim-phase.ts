import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import { lowerMedian } from '../median.ts';
import type { Feed, GraphRunner, Size } from '../metric.ts';
import { complexRotation, foldedTables, halfCount, halfWeight, pairWeight, realForward } from './fourier-tables.ts';
import { computeEnergies, epsilon } from './fsim-energy.ts';
import { orientationFilters, scaleCount } from './fsim-filters.ts';

const forwardGraph = lazily(buildForward);
const orientationGraph = lazily(buildOrientation);

export const phaseGraphs = (): readonly BuiltGraph[] => [forwardGraph(), orientationGraph()];

/** What depends on the size alone: transform matrices and filters. */
export type PhaseTables = ReturnType<typeof phaseTables>;

export function phaseTables({ width, height }: Size, turned: boolean) {
  return {
    width,
    height,
    realForward: realForward(width),
    forward: mirroredRows(complexRotation(height, 1), height),
    columns: foldedTables(height, pairWeight(height)).left,
    rows: foldedTables(width, halfWeight(width, 1 / (width * height))).right,
    orientations: orientationFilters({ width, height }, turned),
  };
}

/** Phase congruency of a luma plane, by four orientations and four scales. */
export async function phaseCongruency(luma: Float32Array, tables: PhaseTables, runner: GraphRunner) {
  const { width, height } = tables;
  const [halfWidth, halfHeight] = [halfCount(width), halfCount(height)];
  const { spectrum } = await runner.run(forwardGraph(), {
    luma: feed(luma, [height, width]),
    rows: feed(tables.realForward, [width, 2 * halfWidth]),
    columns: feed(tables.forward, [4 * halfHeight, 2 * height]),
  });
  // Planes stay folded, some rows and columns of them twice, until the end.
  const energy = new Float32Array(4 * halfWidth * halfHeight);
  const amplitude = new Float32Array(energy.length);
  for (const filters of tables.orientations) {
    const { responses } = await runner.run(orientationGraph(), {
      spectrum: feed(spectrum, [4, halfHeight, halfWidth]),
      even: feed(filters.even, [2, scaleCount, halfHeight, halfWidth]),
      odd: feed(filters.odd, [2, scaleCount, halfHeight, halfWidth]),
      column_cosines: feed(tables.columns.cos, [halfHeight, halfHeight]),
      column_sines: feed(tables.columns.sin, [halfHeight, halfHeight]),
      row_cosines: feed(tables.rows.cos, [halfWidth, halfWidth]),
      row_sines: feed(tables.rows.sin, [halfWidth, halfWidth]),
    });
    const folded = computeEnergies(responses);
    const threshold = filters.threshold * lowerMedian(unfold(folded.finest, tables));
    for (let at = 0; at < energy.length; at++) {
      energy[at] = (energy[at] as number) + Math.max(0, (folded.energy[at] as number) - threshold);
      amplitude[at] = (amplitude[at] as number) + (folded.amplitude[at] as number);
    }
  }
  for (let at = 0; at < energy.length; at++)
    energy[at] = ((energy[at] as number) + epsilon) / ((amplitude[at] as number) + epsilon);
  return unfold(energy, tables);
}

/** Rows k = 0..n/2 and, after them, -k of the real parts, then of the imaginary parts. */
function mirroredRows(rotation: Float32Array, height: number): Float32Array {
  const half = halfCount(height);
  const picked = new Float32Array(4 * half * 2 * height);
  for (let row = 0; row < 4 * half; row++) {
    const [part, sign, k] = [Math.floor(row / (2 * half)), Math.floor(row / half) % 2, row % half];
    const source = (part * height + (sign === 0 ? k : (height - k) % height)) * 2 * height;
    picked.set(rotation.subarray(source, source + 2 * height), row * 2 * height);
  }
  return picked;
}

/** A folded plane, 0..n/2 followed by 0..-n/2 on both axes, in its usual order. */
function unfold(folded: Float32Array, { width, height }: Size): Float32Array {
  const plane = new Float32Array(width * height);
  const [halfWidth, halfHeight] = [halfCount(width), halfCount(height)];
  for (let y = 0, at = 0; y < height; y++) {
    const line = (y < halfHeight ? y : halfHeight + height - y) * 2 * halfWidth;
    plane.set(folded.subarray(line, line + halfWidth), at);
    at += halfWidth;
    for (let mirror = width - halfWidth; mirror > 0; mirror--, at++) {
      plane[at] = folded[line + halfWidth + mirror] as number;
    }
  }
  return plane;
}

const feed = (data: Float32Array, shape: readonly number[]): Feed => ({ type: 'float32', data, shape });

function buildForward(): BuiltGraph<'spectrum'> {
  const graph = createGraph('fsim_spectrum');
  const luma = graph.input('luma', 'float32', ['height', 'width']);
  const rows = graph.input('rows', 'float32', ['width', 'half2']);
  const columns = graph.input('columns', 'float32', ['half_height4', 'height2']);
  const [real, imaginary] = graph.halves(graph.op('MatMul', [luma, rows]), 1);
  const stacked = graph.op('Concat', [real, imaginary], { axis: 0 });
  return graph.build({
    spectrum: { value: graph.op('MatMul', [columns, stacked]), shape: ['half_height4', 'half_width'] },
  });
}

/** Even and odd responses of all scales by products with folded tables. */
function buildOrientation(): BuiltGraph<'responses'> {
  const graph = createGraph('fsim_orientation');
  const { along, across } = filteredParts(graph);
  const value = rowsBack(graph, columnsBack(graph, along, across));
  return graph.build({ responses: { value, shape: [2 * scaleCount, 'height_folded', 'width_folded'] } });
}

interface Folded {
  /** P(k) + P(-k) and P(k) - P(-k) in the row frequency, for e and m of each scale. */
  readonly even: Ref;
  readonly odd: Ref;
}

// e has the spectrum S * even, m has S * odd / i; real parts go along, imaginary parts across.
function filteredParts(graph: GraphBuilder): { along: Folded; across: Folded } {
  const spectrum = graph.input('spectrum', 'float32', [4, 'half_height', 'half_width']);
  const [real, imaginary] = graph.halves(spectrum, 0).map((part) => graph.op('Unsqueeze', [part, graph.integers([1])]));
  const filters = ['even', 'odd'].map((name) =>
    graph.input(name, 'float32', [2, scaleCount, 'half_height', 'half_width']),
  );
  const [even, odd] = filters;
  if (!real || !imaginary || !even || !odd) throw new RangeError('two parts and two filters');
  const join = (first: Ref, second: Ref): Ref => graph.op('Concat', [first, second], { axis: 1 });
  const fold = (both: Ref): Folded => {
    const [plus, minus] = graph.halves(both, 0);
    return { even: graph.add(plus, minus), odd: graph.sub(plus, minus) };
  };
  const negative = graph.sub(0, real);
  return {
    along: fold(join(graph.mul(real, even), graph.mul(imaginary, odd))),
    across: fold(join(graph.mul(imaginary, even), graph.mul(negative, odd))),
  };
}

// Rows y and -y differ in the sign of the sines alone.
function columnsBack(graph: GraphBuilder, along: Folded, across: Folded): { real: Ref; imaginary: Ref } {
  const square = ['half_height', 'half_height'];
  const cosines = graph.input('column_cosines', 'float32', square);
  const sines = graph.input('column_sines', 'float32', square);
  const [cosAlong, cosAcross] = [along, across].map(({ even }) => graph.op('MatMul', [cosines, even])) as [Ref, Ref];
  const [sinAlong, sinAcross] = [along, across].map(({ odd }) => graph.op('MatMul', [sines, odd])) as [Ref, Ref];
  const stack = (upper: Ref, lower: Ref): Ref => graph.op('Concat', [upper, lower], { axis: 2 });
  return {
    real: stack(graph.sub(cosAlong, sinAcross), graph.add(cosAlong, sinAcross)),
    imaginary: stack(graph.add(cosAcross, sinAlong), graph.sub(cosAcross, sinAlong)),
  };
}

function rowsBack(graph: GraphBuilder, { real, imaginary }: { real: Ref; imaginary: Ref }): Ref {
  const square = ['half_width', 'half_width'];
  const cos = graph.op('MatMul', [real, graph.input('row_cosines', 'float32', square)]);
  const sin = graph.op('MatMul', [imaginary, graph.input('row_sines', 'float32', square)]);
  const sides = graph.op('Concat', [graph.sub(cos, sin), graph.add(cos, sin)], { axis: 3 });
  return graph.op('Squeeze', [sides, graph.integers([0])]);
}
