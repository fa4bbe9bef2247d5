import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, FLOAT32, type GraphBuilder, type Ref } from '../graph.ts';
import type { Feed, RowRange, Size, StripMetric } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { readSafetensors, type WeightTensor } from '../safetensors.ts';

/** LPIPS 0.1 on AlexNet (Zhang, Isola, Efros, Shechtman and Wang 2018); `metadata/models/README.md` has the notices. */
const weightsFile = {
  name: 'lpips-alex.safetensors',
  sha256: 'eef99a1d5017934615d630d4b0082a299543306160791da24b35ef7ecc62f248',
};

// Mean and deviation of red, green and blue in [-1, 1].
const SHIFT = [-0.03, -0.088, -0.188];
const SCALE = [0.458, 0.448, 0.45];

interface Layer {
  readonly name: string;
  /** Output channels, input channels, side of the kernel. */
  readonly shape: readonly [number, number, number];
  readonly pad: number;
  readonly stride: number;
  /** Largest of 3 x 3 with a stride of 2 comes first. */
  readonly isPooled: boolean;
}

const LAYERS: readonly Layer[] = [
  { name: 'net.slice1.0', shape: [64, 3, 11], pad: 2, stride: 4, isPooled: false },
  { name: 'net.slice2.3', shape: [192, 64, 5], pad: 2, stride: 1, isPooled: true },
  { name: 'net.slice3.6', shape: [384, 192, 3], pad: 1, stride: 1, isPooled: true },
  { name: 'net.slice4.8', shape: [256, 384, 3], pad: 1, stride: 1, isPooled: false },
  { name: 'net.slice5.10', shape: [256, 256, 3], pad: 1, stride: 1, isPooled: false },
];

/** How many rows of each layer lie on one row of the last, whose rows are the metric's own counting. */
const FINENESS = [4, 2, 1, 1, 1] as const;
const PIXELS_A_ROW = 16;
// A feature of the last layer reaches 66 pixels up and 96 down: whole rows beyond that.
const ROWS_ABOVE = 5;
const ROWS_BELOW = 6;
/** Rows of a tile, borders among them, times the columns of a picture: what one run of the network may take, 0.45 GB. */
const TILE_AREA = 240_000;
const LEAST_TILE = 16;

// The wider a tile, the less of it is border; a small picture is one.
const tileRows = ({ width }: Size): number =>
  Math.max(LEAST_TILE, Math.floor(TILE_AREA / width) - ROWS_ABOVE - ROWS_BELOW);

/** Distance of deep features between picture and reference; lower is better, 0 for equal pictures. */
export const lpips: StripMetric = {
  kind: 'strips',
  name: 'lpips',
  minimumSide: 31,
  rowUnit: LEAST_TILE,
  weightsFile,
  graphs: (weights) => [weights ? build(weights) : outline()],
  rows: (size) => layerSizes(size)[4].height,
  async sums(pair, range, runner) {
    const graph = runner.learned(weightsFile, build);
    const sizes = layerSizes(pair.picture);
    const totals = new Float64Array(LAYERS.length);
    const tile = tileRows(pair.picture);
    for (let from = range.from; from < range.to; from += tile) {
      const rows = { from, to: Math.min(range.to, from + tile) };
      const first = Math.max(0, from - ROWS_ABOVE);
      const pixelRows = { from: first * PIXELS_A_ROW, to: (rows.to + ROWS_BELOW) * PIXELS_A_ROW };
      const sums = await runner.run(graph, {
        picture: rowsOf(pair.picture, pixelRows),
        reference: rowsOf(pair.reference, pixelRows),
      });
      OUTPUTS.forEach((output, layer) => {
        totals[layer] = (totals[layer] as number) + sumRows(sums[output], layer, rows, first, sizes);
      });
    }
    return totals;
  },
  finish: (totals, size) =>
    layerSizes(size).reduce((sum, { width, height }, layer) => sum + (totals[layer] as number) / (width * height), 0),
};

const OUTPUTS = ['layer1', 'layer2', 'layer3', 'layer4', 'layer5'] as const;

type Sizes = readonly [Size, Size, Size, Size, Size];

function layerSizes({ width, height }: Size): Sizes {
  const first = { width: Math.floor((width - 7) / 4) + 1, height: Math.floor((height - 7) / 4) + 1 };
  const second = pooled(first);
  const last = pooled(second);
  return [first, second, last, last, last];
}

const pooled = ({ width, height }: Size): Size => ({
  width: Math.floor((width - 3) / 2) + 1,
  height: Math.floor((height - 3) / 2) + 1,
});

// Whole rows lie side by side, so they enter the graph where they are.
function rowsOf({ width, height, data }: Pixels, { from, to }: RowRange): Feed {
  const end = Math.min(to, height);
  return {
    type: 'uint8',
    data: data.subarray(from * width * 3, end * width * 3),
    shape: [1, end - from, width, 3],
  };
}

/** Adds the rows of a layer that belong to a tile; those past its edges were computed from too little. */
function sumRows(sums: Float32Array, layer: number, rows: RowRange, first: number, sizes: Sizes): number {
  const fineness = FINENESS[layer] as number;
  const isLast = rows.to >= sizes[4].height;
  const from = (rows.from - first) * fineness;
  const end = isLast ? (sizes[layer] as Size).height - first * fineness : (rows.to - first) * fineness;
  let total = 0;
  for (let row = from; row < end; row++) total += sums[row] as number;
  return total;
}

const outline = lazily(() => build());

/** The network over both pictures; without weights its constants are empty. */
function build(file?: Uint8Array): BuiltGraph<(typeof OUTPUTS)[number]> {
  const tensors = file && readSafetensors(file);
  const graph = createGraph('lpips');
  const constant = (name: string, shape: readonly number[]): Ref => {
    const tensor: WeightTensor = tensors?.get(name) ?? { shape, data: new Uint16Array(0) };
    if (tensor.shape.join() !== shape.join()) throw new TypeError(`${name} has the shape ${tensor.shape.join(' x ')}`);
    return tensor.data instanceof Uint16Array
      ? graph.halfConstant(tensor.data, shape)
      : graph.constant(tensor.data, shape);
  };
  let features = pictures(graph);
  const distances = LAYERS.map(({ name, shape: [channels, from, side], pad, stride, isPooled }, index) => {
    if (isPooled) features = graph.op('MaxPool', [features], { kernel_shape: [3, 3], strides: [2, 2] });
    const weights = constant(`${name}.weight`, [channels, from, side, side]);
    const options = { pads: [pad, pad, pad, pad], strides: [stride, stride] };
    const convolved = graph.conv(features, weights, { ...options, bias: constant(`${name}.bias`, [channels]) });
    features = graph.op('Relu', [convolved]);
    return distance(graph, features, constant(`lin${index}.model.1.weight`, [1, channels, 1, 1]), channels);
  });
  const results = OUTPUTS.map((output, index) => [
    output,
    { value: distances[index] as Ref, shape: [`rows${index + 1}`] },
  ]);
  return graph.build(Object.fromEntries(results) as Parameters<typeof graph.build<(typeof OUTPUTS)[number]>>[0]);
}

/** Both pictures as one batch of two, normalised as the network was trained. */
function pictures(graph: GraphBuilder): Ref {
  const shape = [1, 'rows', 'columns', 3];
  const both = graph.op('Concat', [graph.input('picture', 'uint8', shape), graph.input('reference', 'uint8', shape)], {
    axis: 0,
  });
  const planes = graph.op('Transpose', [graph.op('Cast', [both], { to: FLOAT32 })], { perm: [0, 3, 1, 2] });
  const factors = SCALE.map((scale) => 2 / 255 / scale);
  const offsets = SCALE.map((scale, channel) => (-1 - (SHIFT[channel] as number)) / scale);
  return graph.add(graph.mul(planes, graph.constant(factors, [3, 1, 1])), graph.constant(offsets, [3, 1, 1]));
}

/** Sums over each row of the weighted squared differences of features that are scaled to length 1. */
function distance(graph: GraphBuilder, features: Ref, head: Ref, channels: number): Ref {
  // A convolution adds up channels in a fifth of the time of ReduceSumSquare.
  const ones = graph.constant(new Array(channels).fill(1), [1, channels, 1, 1]);
  const squares = graph.conv(graph.mul(features, features), ones);
  const unit = graph.div(features, graph.add(graph.op('Sqrt', [squares]), 1e-10));
  const [picture, reference] = graph.halves(unit, 0);
  const difference = graph.sub(picture, reference);
  return graph.sum(graph.conv(graph.mul(difference, difference), head), [0, 1, 3]);
}
