import { type BuiltGraph, createGraph, FLOAT32, type GraphBuilder, type Ref } from '../../iqa/graph.ts';
import { readSafetensors, type WeightTensor } from '../../iqa/safetensors.ts';
import { widened } from './half-floats.ts';

const WIDTH = 384;
const HEADS = 12;
const HEAD = WIDTH / HEADS;
const INNER = 1536;
const LAYERS = 6;

/**
 * all-MiniLM-L6-v2 (Apache-2.0) for one text at a time, so that nothing is padded or masked: numbers of word pieces in, one
 * vector of length 1 out. Matrices are bytes with a scale for each column; bytes without a sign cannot saturate on
 * processors that lack the newer instructions.
 */
export const buildMiniLm = (file: Uint8Array): BuiltGraph<'vector'> => {
  const weights = readSafetensors(file, (name) => !name.endsWith('position_ids'));
  const g = createGraph('all-MiniLM-L6-v2');
  const pieces = g.input('pieces', 'int64', ['length']);
  const positions = g.input('positions', 'int64', ['length']);
  const ofType = widened(tensor(weights, 'embeddings.token_type_embeddings.weight')).subarray(0, WIDTH);
  const embedded = g.add(
    g.add(gather(g, weights, 'word', pieces), gather(g, weights, 'position', positions)),
    g.constant(ofType),
  );
  let state = normalise(g, weights, 'embeddings', embedded);
  for (let layer = 0; layer < LAYERS; layer++) state = transform(g, weights, `encoder.layer.${layer}`, state);
  const sum = g.sum(state, [0]);
  const length = g.op('Sqrt', [g.op('ReduceSumSquare', [sum, g.integers([0])], { keepdims: 1 })]);
  return g.build({ vector: { value: g.div(sum, length), shape: [WIDTH] } });
};

const transform = (g: GraphBuilder, weights: Weights, name: string, state: Ref): Ref => {
  const parts = ['query', 'key', 'value'].map((part) => `${name}.attention.self.${part}`);
  // Query, key and value by one product: [length, 3 x 384] -> [3, heads, length, head].
  const together = g.op('Transpose', [g.reshape(multiply(g, weights, parts, state), [-1, 3, HEADS, HEAD])], {
    perm: [1, 2, 0, 3],
  });
  const [query, key, value] = [0, 1, 2].map((part) =>
    g.op('Squeeze', [g.slice(together, [0], [part], [part + 1]), g.integers([0])]),
  ) as [Ref, Ref, Ref];
  const scores = g.op('MatMul', [query, g.op('Transpose', [key], { perm: [0, 2, 1] })]);
  const shares = g.op('Softmax', [g.mul(scores, 1 / Math.sqrt(HEAD))], { axis: -1 });
  const heads = g.op('Transpose', [g.op('MatMul', [shares, value])], { perm: [1, 0, 2] });
  const attended = multiply(g, weights, [`${name}.attention.output.dense`], g.reshape(heads, [-1, WIDTH]));
  const middle = normalise(g, weights, `${name}.attention.output`, g.add(attended, state));
  const inner = gelu(g, multiply(g, weights, [`${name}.intermediate.dense`], middle));
  return normalise(
    g,
    weights,
    `${name}.output`,
    g.add(multiply(g, weights, [`${name}.output.dense`], inner, INNER), middle),
  );
};

type Weights = ReadonlyMap<string, WeightTensor>;

const tensor = (weights: Weights, name: string): Uint16Array => {
  const found = weights.get(name)?.data;
  if (!(found instanceof Uint16Array)) throw new TypeError(`the weights have no half-precision ${name}`);
  return found;
};

const gather = (g: GraphBuilder, weights: Weights, kind: string, at: Ref): Ref => {
  const table = tensor(weights, `embeddings.${kind}_embeddings.weight`);
  // Rows are widened after they are taken, so that the table stays as small as it is.
  return g.op('Cast', [g.op('Gather', [g.halfTensor(table, [table.length / WIDTH, WIDTH]), at])], { to: FLOAT32 });
};

const normalise = (g: GraphBuilder, weights: Weights, name: string, value: Ref): Ref => {
  const part = (kind: string): Ref => g.constant(widened(tensor(weights, `${name}.LayerNorm.${kind}`)));
  return g.op('LayerNormalization', [value, part('weight'), part('bias')], { axis: -1, epsilon: { float: 1e-12 } });
};

const gelu = (g: GraphBuilder, value: Ref): Ref =>
  g.mul(g.mul(value, g.add(g.op('Erf', [g.div(value, Math.SQRT2)]), 1)), 0.5);

/** Dense layers side by side: the value times their weights, and their biases. */
const multiply = (g: GraphBuilder, weights: Weights, names: readonly string[], value: Ref, from = WIDTH): Ref => {
  const rows = joined(names.map((name) => widened(tensor(weights, `${name}.weight`))));
  const bias = joined(names.map((name) => widened(tensor(weights, `${name}.bias`))));
  const { bytes, scales } = quantised(rows, from);
  const [quick, scale, zero] = g.quantise(value);
  const columns = scales.length;
  const product = g.op('MatMulInteger', [
    quick,
    g.byteTensor(bytes, [from, columns]),
    zero,
    g.byteTensor(Uint8Array.of(ZERO), []),
  ]);
  return g.add(g.mul(g.op('Cast', [product], { to: FLOAT32 }), g.mul(scale, g.constant(scales))), g.constant(bias));
};

const ZERO = 128;
const LARGEST = 127;

/** Rows of outputs become columns of bytes, each with the scale at which its largest weight is 127. */
const quantised = (rows: Float32Array, from: number): { readonly bytes: Uint8Array; readonly scales: Float32Array } => {
  const columns = rows.length / from;
  const bytes = new Uint8Array(rows.length);
  const scales = new Float32Array(columns);
  for (let column = 0; column < columns; column++) {
    const row = rows.subarray(column * from, (column + 1) * from);
    let largest = 0;
    for (let at = 0; at < from; at++) largest = Math.max(largest, Math.abs(row[at] ?? 0));
    const scale = largest / LARGEST || 1;
    scales[column] = scale;
    for (let at = 0; at < from; at++) bytes[at * columns + column] = Math.round((row[at] ?? 0) / scale) + ZERO;
  }
  return { bytes, scales };
};

const joined = (parts: readonly Float32Array[]): Float32Array => {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
