import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import { readSafetensors, type WeightTensor } from '../safetensors.ts';
import { BLOCK } from './blocks.ts';
import { convolve, type Tiling } from './winograd.ts';

interface Layer {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** How many output channels are computed at a time, so that they fit the processor's cache. */
  readonly step: number;
  readonly tiling: Tiling;
  /** Whether max pooling (3 x 3, stride 2) comes first. */
  readonly isPooled: boolean;
}

const FIRST = { name: 'net.slice1.0', channels: 64, side: 11 };

const threes: Tiling = { kernel: 3, results: 4, points: [0, 1, -1, 2, -2] };
const fives: Tiling = { kernel: 5, results: 4, points: [0, 1, -1, 2, -2, 0.5, -0.5] };

const OTHERS: readonly Layer[] = [
  { name: 'net.slice2.3', from: 64, to: 192, step: 64, tiling: fives, isPooled: true },
  { name: 'net.slice3.6', from: 192, to: 384, step: 384, tiling: threes, isPooled: true },
  { name: 'net.slice4.8', from: 384, to: 256, step: 256, tiling: threes, isPooled: false },
  { name: 'net.slice5.10', from: 256, to: 256, step: 256, tiling: threes, isPooled: false },
];

/** The maps of squared distances, one per layer, the finest first. */
export const OUTPUTS = ['layer1', 'layer2', 'layer3', 'layer4', 'layer5'] as const;

/** The network over both pictures; without a weights file its constants are empty. */
export function buildNetwork(file?: Uint8Array): BuiltGraph<(typeof OUTPUTS)[number]> {
  const tensors = file && readSafetensors(file);
  const tensor = (name: string, shape: readonly number[]): WeightTensor => {
    const found = tensors?.get(name) ?? { shape, data: new Uint16Array(0) };
    if (found.shape.join() !== shape.join()) throw new TypeError(`${name} has the shape ${found.shape.join(' x ')}`);
    return found;
  };
  const graph = createGraph('lpips');
  const constant = (name: string, shape: readonly number[], as = shape): Ref => {
    const { data } = tensor(name, shape);
    return data instanceof Uint16Array ? graph.halfConstant(data, as) : graph.constant(data, as);
  };
  const head = (layer: number, channels: number): Ref =>
    constant(`lin${layer}.model.1.weight`, [1, channels, 1, 1], [1, channels]);

  const { name, channels, side } = FIRST;
  const kernels = blockwise(tensor(`${name}.weight`, [channels, 3, side, side]), channels, side);
  const blocks = graph.input('blocks', 'float32', [2, 3 * BLOCK * BLOCK, 'rows', 'columns']);
  const convolved = graph.conv(blocks, kernels(graph), { bias: constant(`${name}.bias`, [channels]) });
  let features = graph.op('Relu', [convolved]);
  const distances = [distance(graph, graph.reshape(features, [2, channels, -1]), head(0, channels), channels, 0)];
  for (const [index, { name, from, to, step, tiling, isPooled }] of OTHERS.entries()) {
    if (isPooled) features = graph.op('MaxPool', [features], { kernel_shape: [3, 3], strides: [2, 2] });
    if (index === 0) features = graph.op('Transpose', [features], { perm: [1, 0, 2, 3] });
    const weights = constant(`${name}.weight`, [to, from, tiling.kernel, tiling.kernel]);
    const sums = convolve(graph, features, weights, tiling, { from, to, step, pictures: 2 });
    features = graph.op('Relu', [graph.add(sums, constant(`${name}.bias`, [to], [to, 1, 1, 1]))]);
    distances.push(distance(graph, graph.reshape(features, [to, -1]), head(index + 1, to), to, 1));
  }
  // In this order the runtime finishes with the largest maps first.
  const results = OUTPUTS.map((output, index) => [
    output,
    { value: distances[index] as Ref, shape: [`places${index}`] },
  ]);
  return graph.build(
    Object.fromEntries(results.reverse()) as Parameters<typeof graph.build<(typeof OUTPUTS)[number]>>[0],
  );
}

/** The kernels of the first convolution, rearranged for blocks of pixels as channels: three blocks per side. */
function blockwise({ data }: WeightTensor, channels: number, side: number): (graph: GraphBuilder) => Ref {
  const blocks = Math.ceil(side / BLOCK);
  const planes = 3 * BLOCK * BLOCK;
  const kernels = new Float32Array(data.length === 0 ? 0 : channels * planes * blocks * blocks);
  for (let at = 0; at < data.length; at++) {
    const [column, row, place] = [at % side, Math.floor(at / side) % side, Math.floor(at / side ** 2)];
    const [channel, to] = [place % 3, Math.floor(place / 3)];
    const plane = ((row % BLOCK) * BLOCK + (column % BLOCK)) * 3 + channel;
    const target = ((to * planes + plane) * blocks + Math.floor(row / BLOCK)) * blocks + Math.floor(column / BLOCK);
    kernels[target] = data[at] as number;
  }
  return (graph) => graph.constant(kernels, [channels, planes, blocks, blocks]);
}

/** At each position, the weighted squared difference of unit-length features; `axis` is that of the two pictures. */
function distance(graph: GraphBuilder, features: Ref, head: Ref, channels: number, axis: number): Ref {
  const ones = graph.constant(new Array(channels).fill(1), [1, channels]);
  const squares = graph.op('MatMul', [ones, graph.mul(features, features)]);
  const unit = graph.div(features, graph.add(graph.op('Sqrt', [squares]), 1e-10));
  const [picture, reference] = graph.halves(unit, axis);
  const difference = graph.sub(picture, reference);
  return graph.reshape(graph.op('MatMul', [head, graph.mul(difference, difference)]), [-1]);
}
