import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import { lazily } from '../lazily.ts';
import { lowerMedian } from '../median.ts';
import type { Feed, GraphRunner, Size } from '../metric.ts';
import { complexRotation, halfCount, realBackward, realForward } from './fourier-tables.ts';
import { type OrientationFilters, orientationCount, orientationFilters, scaleCount } from './fsim-filters.ts';

/** float32's epsilon, which the reference adds everywhere. */
export const epsilon = 2 ** -23;

const forwardGraph = lazily(buildForward);
const orientationGraph = lazily(buildOrientation);

export const phaseGraphs = (): readonly BuiltGraph[] => [forwardGraph(), orientationGraph()];

/** What depends on the size alone: transform matrices and filters. */
export interface PhaseTables extends Size {
  readonly realForward: Float32Array;
  readonly forward: Float32Array;
  readonly backward: Float32Array;
  readonly realBackward: Float32Array;
  readonly orientations: readonly OrientationFilters[];
}

export function phaseTables({ width, height }: Size, turned: boolean): PhaseTables {
  return {
    width,
    height,
    realForward: realForward(width),
    forward: complexRotation(height, 1),
    backward: complexRotation(height, -1),
    realBackward: realBackward(width, 1 / (width * height)),
    orientations: Array.from({ length: orientationCount }, (_, index) =>
      orientationFilters(index, { width, height }, turned),
    ),
  };
}

/** Phase congruency of a luma plane, by four orientations and four scales. */
export async function phaseCongruency(luma: Float32Array, tables: PhaseTables, runner: GraphRunner) {
  const { width, height } = tables;
  const half = halfCount(width);
  const { spectrum } = await runner.run(forwardGraph(), {
    luma: feed(luma, [height, width]),
    rows: feed(tables.realForward, [width, 2 * half]),
    columns: feed(tables.forward, [2 * height, 2 * height]),
  });
  const energy = new Float64Array(width * height);
  const amplitude = new Float64Array(width * height);
  for (const filters of tables.orientations) {
    const response = await runner.run(orientationGraph(), {
      spectrum: feed(spectrum, [2 * height, half]),
      even: feed(filters.even, [scaleCount, height, half]),
      odd: feed(filters.odd, [scaleCount, height, half]),
      columns: feed(tables.backward, [2 * height, 2 * height]),
      rows: feed(tables.realBackward, [2 * half, width]),
    });
    const threshold = filters.threshold * lowerMedian(response.finest);
    for (let at = 0; at < energy.length; at++) {
      energy[at] = (energy[at] as number) + Math.max(0, (response.energy[at] as number) - threshold);
      amplitude[at] = (amplitude[at] as number) + (response.amplitude[at] as number);
    }
  }
  return Float64Array.from(energy, (value, at) => (value + epsilon) / ((amplitude[at] as number) + epsilon));
}

const feed = (data: Float32Array, shape: readonly number[]): Feed => ({ type: 'float32', data, shape });

function buildForward(): BuiltGraph<'spectrum'> {
  const graph = createGraph('fsim_spectrum');
  const luma = graph.input('luma', 'float32', ['height', 'width']);
  const rows = graph.input('rows', 'float32', ['width', 'half2']);
  const columns = graph.input('columns', 'float32', ['height2', 'height2']);
  const [real, imaginary] = graph.halves(graph.op('MatMul', [luma, rows]), 1);
  const stacked = graph.op('Concat', [real, imaginary], { axis: 0 });
  return graph.build({ spectrum: { value: graph.op('MatMul', [columns, stacked]), shape: ['height2', 'half'] } });
}

/** Two matrix products give even and odd responses of all scales; the rest is arithmetic on them. */
function buildOrientation(): BuiltGraph<'finest' | 'energy' | 'amplitude'> {
  const graph = createGraph('fsim_orientation');
  const spectrum = graph.input('spectrum', 'float32', ['height2', 'half']);
  const even = graph.input('even', 'float32', [scaleCount, 'height', 'half']);
  const odd = graph.input('odd', 'float32', [scaleCount, 'height', 'half']);
  const columns = graph.input('columns', 'float32', ['height2', 'height2']);
  const rows = graph.input('rows', 'float32', ['half2', 'width']);
  const [real, imaginary] = graph.halves(spectrum, 0);
  const join = (values: readonly Ref[], axis: number): Ref => graph.op('Concat', values, { axis });
  const evenPart = join([graph.mul(real, even), graph.mul(imaginary, even)], 1);
  const oddPart = join([graph.mul(imaginary, odd), graph.sub(0, graph.mul(real, odd))], 1);
  const byRow = graph.op('MatMul', [columns, join([evenPart, oddPart], 0)]);
  const responses = graph.op('MatMul', [join(graph.halves(byRow, 1), 2), rows]);
  const e = graph.slice(responses, [0], [0], [scaleCount]);
  const m = graph.slice(responses, [0], [scaleCount], [2 * scaleCount]);
  const amplitude = graph.op('Sqrt', [graph.add(graph.mul(e, e), graph.mul(m, m))]);
  const shape = ['height', 'width'];
  return graph.build({
    finest: { value: graph.slice(amplitude, [0], [0], [1]), shape: [1, ...shape] },
    energy: { value: energyOf(graph, e, m), shape },
    amplitude: { value: graph.sum(amplitude, [0]), shape },
  });
}

function energyOf(graph: GraphBuilder, e: Ref, m: Ref): Ref {
  const sumE = graph.sum(e, [0]);
  const sumM = graph.sum(m, [0]);
  const norm = graph.add(graph.op('Sqrt', [graph.add(graph.mul(sumE, sumE), graph.mul(sumM, sumM))]), epsilon);
  const [ce, cm] = [graph.div(sumE, norm), graph.div(sumM, norm)];
  const along = graph.add(graph.mul(e, ce), graph.mul(m, cm));
  const across = graph.op('Abs', [graph.sub(graph.mul(e, cm), graph.mul(m, ce))]);
  return graph.sum(graph.sub(along, across), [0]);
}
