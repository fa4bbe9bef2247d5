import { Fault } from '../../kernel/errors.ts';
import { keepLast, lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import type { Feed, GraphRunner, Size, WholeMetric } from '../metric.ts';
import { roundHalfEven } from '../nr/luma.ts';
import type { Pixels } from '../pixels.ts';
import { bandCount, bandMasks, bandSize, columnInverse, columnTable, rowInverse, rowTable } from './cw-ssim-tables.ts';

const windowSide = 7;
const stripRows = 256;
const longestSide = 12_288;

const spectrumGraph = lazily(buildSpectrum);
const bandGraph = lazily(buildBands);

/** Complex-wavelet SSIM at the coarsest of four levels, eight orientations; nearly invariant to small shifts. */
export const cwSsim: WholeMetric = {
  kind: 'whole',
  name: 'cw_ssim',
  minimumSide: 64,
  graphs: () => [spectrumGraph(), bandGraph()],
  async score({ picture, reference }, runner) {
    checkSides(picture);
    const tables = tablesFor(`${picture.width} ${picture.height}`, () => makeTables(picture));
    const { width, height } = tables.band;
    const shape = [2 * height, width];
    const { map, energy } = await runner.run(bandGraph(), {
      picture: feed(await spectrumOf(picture, tables, runner), shape),
      reference: feed(await spectrumOf(reference, tables, runner), shape),
      masks: feed(tables.masks, [bandCount, height, width]),
      columns: feed(tables.columnInverse, [2 * height, 2 * height]),
      rows: feed(tables.rowInverse, [2 * width, 2 * width]),
    });
    return weightedMean(map, energy, tables.band);
  },
};

type Tables = ReturnType<typeof makeTables>;

const tablesFor = keepLast<Tables>();

function makeTables({ width, height }: Size) {
  const band = bandSize({ width, height });
  return {
    band,
    rows: rowTable(width, band.width),
    masks: bandMasks({ width, height }),
    columnInverse: columnInverse(band.height),
    rowInverse: rowInverse(band.width, 1 / (band.width * band.height)),
  };
}

function checkSides({ width, height }: Pixels): void {
  if (Math.max(width, height) <= longestSide) return;
  const text = `cw_ssim takes sides up to ${longestSide} pixels, the picture has ${width} x ${height}; make it smaller`;
  throw new Fault('InvalidInput', text, { tool: 'cw_ssim', width, height });
}

/** The lowest frequencies of the luma, computed strip by strip: real and imaginary parts stacked. */
async function spectrumOf(pixels: Pixels, { band, rows }: Tables, runner: GraphRunner): Promise<Float32Array> {
  const { width, height } = pixels;
  const total = new Float64Array(2 * band.height * band.width);
  const mean = checkedMean(pixels);
  for (let from = 0; from < height; from += stripRows) {
    const count = Math.min(stripRows, height - from);
    const { spectrum } = await runner.run(spectrumGraph(), {
      luma: feed(lumaRows(pixels, from, count, mean), [count, width]),
      rows: feed(rows, [width, 2 * band.width]),
      columns: feed(columnTable(height, band.height, from, count), [2 * band.height, 2 * count]),
    });
    for (let at = 0; at < total.length; at++) total[at] = (total[at] as number) + (spectrum[at] as number);
  }
  return Float32Array.from(total);
}

const feed = (data: Float32Array, shape: readonly number[]): Feed => ({ type: 'float32', data, shape });

// Unlike in the other metrics, products and sum stay float64 until the luma is rounded.
const [redOf, greenOf, blueOf] = [0.299, 0.587, 0.114].map((weight) =>
  Float64Array.from({ length: 256 }, (_, byte) => 255 * Math.fround(byte / 255) * Math.fround(weight)),
) as [Float64Array, Float64Array, Float64Array];

function lumaAt(data: Uint8Array, at: number): number {
  const red = redOf[data[at] as number] as number;
  const green = greenOf[data[at + 1] as number] as number;
  return roundHalfEven(red + green + (blueOf[data[at + 2] as number] as number));
}

function checkedMean({ data }: Pixels): number {
  const first = lumaAt(data, 0);
  let total = 0;
  let isFlat = true;
  for (let at = 0; at < data.length; at += 3) {
    const luma = lumaAt(data, at);
    total += luma;
    if (luma !== first) isFlat = false;
  }
  if (!isFlat) return (3 * total) / data.length;
  const text = 'cw_ssim is undefined for a picture of one brightness, which has no structure; use ssim or psnr for it';
  throw new Fault('InvalidInput', text, { tool: 'cw_ssim' });
}

// No band contains the mean; subtracting it leaves float32 more digits for the rest.
function lumaRows({ data, width }: Pixels, from: number, count: number, mean: number): Float32Array {
  const luma = new Float32Array(count * width);
  for (let target = 0, at = from * width * 3; target < luma.length; target++, at += 3) {
    luma[target] = lumaAt(data, at) - mean;
  }
  return luma;
}

function buildSpectrum(): BuiltGraph<'spectrum'> {
  const graph = createGraph('cw_ssim_spectrum');
  const luma = graph.input('luma', 'float32', ['rows', 'width']);
  const rows = graph.input('rows', 'float32', ['width', 'band_width2']);
  const columns = graph.input('columns', 'float32', ['band_height2', 'rows2']);
  const stacked = graph.op('Concat', graph.halves(graph.op('MatMul', [luma, rows]), 1), { axis: 0 });
  const value = graph.op('MatMul', [columns, stacked]);
  return graph.build({ spectrum: { value, shape: ['band_height2', 'band_width'] } });
}

function buildBands(): BuiltGraph<'map' | 'energy'> {
  const graph = createGraph('cw_ssim');
  const shape = ['height2', 'width'];
  const inputs = [graph.input('picture', 'float32', shape), graph.input('reference', 'float32', shape)];
  const masks = graph.input('masks', 'float32', [bandCount, 'height', 'width']);
  const columns = graph.input('columns', 'float32', ['height2', 'height2']);
  const rows = graph.input('rows', 'float32', ['width2', 'width2']);
  const [x, y] = inputs.map((spectrum) => computeBands(graph, spectrum, masks, columns, rows));
  if (!x || !y) throw new RangeError('cw_ssim compares two pictures');
  const real = graph.add(graph.mul(x.real, y.real), graph.mul(x.imaginary, y.imaginary));
  const imaginary = graph.sub(graph.mul(x.imaginary, y.real), graph.mul(x.real, y.imaginary));
  const energy = graph.add(power(graph, x), power(graph, y));
  const [meanReal, meanImaginary, meanEnergy] = [real, imaginary, energy].map((plane) => boxMean(graph, plane));
  if (!meanReal || !meanImaginary || !meanEnergy) throw new RangeError('cw_ssim averages three planes');
  const length = graph.add(graph.mul(meanReal, meanReal), graph.mul(meanImaginary, meanImaginary));
  const map = graph.div(graph.mul(graph.op('Sqrt', [graph.add(length, 1e-12)]), 2), graph.add(meanEnergy, 2e-12));
  const out = [1, bandCount, 'map_height', 'map_width'];
  return graph.build({ map: { value: map, shape: out }, energy: { value: meanEnergy, shape: out } });
}

interface Complex {
  readonly real: Ref;
  readonly imaginary: Ref;
}

function computeBands(graph: GraphBuilder, spectrum: Ref, masks: Ref, columns: Ref, rows: Ref): Complex {
  const parts = graph.halves(spectrum, 0).map((part) => graph.mul(part, masks));
  const along = graph.op('MatMul', [columns, graph.op('Concat', parts, { axis: 1 })]);
  const both = graph.op('MatMul', [graph.op('Concat', graph.halves(along, 1), { axis: 2 }), rows]);
  const [real, imaginary] = graph.halves(both, 2);
  return { real, imaginary };
}

const power = (graph: GraphBuilder, { real, imaginary }: Complex): Ref =>
  graph.add(graph.mul(real, real), graph.mul(imaginary, imaginary));

function boxMean(graph: GraphBuilder, plane: Ref): Ref {
  const batch = graph.op('Unsqueeze', [plane, graph.integers([0])]);
  const vertical = graph.op('AveragePool', [batch], { kernel_shape: [windowSide, 1] });
  return graph.op('AveragePool', [vertical], { kernel_shape: [1, windowSide] });
}

// Where neither picture has energy in a band the reference divides 0 by 0; such places count as equal.
const noEnergy = 1e-6;

function weightedMean(map: Float32Array, energy: Float32Array, band: Size): number {
  const width = band.width - windowSide + 1;
  const height = band.height - windowSide + 1;
  const weightAt = (index: number, count: number): number =>
    Math.exp(-((index - (count - 1) / 2) ** 2) / (2 * (band.height / 4) ** 2));
  const across = Float64Array.from({ length: width }, (_, column) => weightAt(column, width));
  const down = Float64Array.from({ length: height }, (_, row) => weightAt(row, height));
  let [total, weights] = [0, 0];
  for (let at = 0; at < map.length; at++) {
    const weight = (across[at % width] as number) * (down[Math.floor(at / width) % height] as number);
    total += weight * ((energy[at] as number) < noEnergy ? 1 : (map[at] as number));
    weights += weight;
  }
  return total / weights;
}
