import { sha256 } from '../kernel/canonical-json.ts';
import { encodeModel } from './onnx-encode.ts';

export type ElementType = 'float32' | 'float16' | 'uint8' | 'int32' | 'int64' | 'bool';
export type Dimension = number | string;
export type Attribute = number | string | readonly number[] | { readonly float: number };

/** A value of the graph: an input, a constant or the output of a node. */
export interface Ref {
  readonly name: string;
}

export interface GraphNode {
  readonly op: Operator;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

export interface GraphTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly data: Float32Array | Uint16Array | Uint8Array | BigInt64Array;
}

export interface GraphValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly Dimension[];
}

export interface Graph {
  readonly name: string;
  readonly opset: number;
  readonly nodes: readonly GraphNode[];
  readonly tensors: readonly GraphTensor[];
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
}

/** A graph with its ONNX file and the SHA-256 of that file, which identifies it in sessions and scores. */
export interface BuiltGraph<Output extends string = string> extends Graph {
  /** Names the outputs for the type checker. */
  readonly outputNames: readonly Output[];
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** The operators our graphs use, all of opset 18. */
export type Operator =
  | 'Abs'
  | 'Add'
  | 'AveragePool'
  | 'Cast'
  | 'Clip'
  | 'Concat'
  | 'Conv'
  | 'DepthToSpace'
  | 'Div'
  | 'DynamicQuantizeLinear'
  | 'Erf'
  | 'Exp'
  | 'Gather'
  | 'Identity'
  | 'LayerNormalization'
  | 'MatMul'
  | 'MatMulInteger'
  | 'Max'
  | 'MaxPool'
  | 'Mul'
  | 'Pad'
  | 'Pow'
  | 'ReduceSum'
  | 'ReduceSumSquare'
  | 'Relu'
  | 'Reshape'
  | 'Shape'
  | 'Sigmoid'
  | 'Slice'
  | 'Softmax'
  | 'Split'
  | 'Sqrt'
  | 'Squeeze'
  | 'Sub'
  | 'Transpose'
  | 'Unsqueeze';

/** Builds one graph: `input`, then operations, then `build` with its results. */
export interface GraphBuilder {
  input(name: string, type: ElementType, shape: readonly Dimension[]): Ref;
  /** A float32 constant; without a shape a number is a scalar, which broadcasts. */
  constant(values: number | readonly number[] | Float32Array, shape?: readonly number[]): Ref;
  /** Half-precision weights, widened to float32 when the session opens: half the file, the same arithmetic. */
  halfConstant(values: Uint16Array, shape: readonly number[]): Ref;
  /** Half-precision values that stay so, for operators that take half precision. */
  halfTensor(values: Uint16Array, shape: readonly number[]): Ref;
  /** A uint8 tensor, such as quantised weights. */
  byteTensor(values: Uint8Array, shape: readonly number[]): Ref;
  /** An int64 tensor, for operators that take axes or shapes as an input. */
  integers(values: readonly number[]): Ref;
  op(operator: Operator, inputs: readonly Operand[], attributes?: Readonly<Record<string, Attribute>>): Ref;
  /** Quantises a tensor to bytes; scale and zero point are measured when the graph runs. */
  quantise(value: Ref): readonly [bytes: Ref, scale: Ref, zero: Ref];
  add(left: Operand, right: Operand): Ref;
  sub(left: Operand, right: Operand): Ref;
  mul(left: Operand, right: Operand): Ref;
  div(left: Operand, right: Operand): Ref;
  /** Sums over the axes and drops them. */
  sum(value: Ref, axes: readonly number[]): Ref;
  /** From `starts` up to but not including `ends` on the axes; a negative end counts from the back. */
  slice(value: Ref, axes: readonly number[], starts: readonly number[], ends: readonly number[]): Ref;
  /** The two halves of an axis of even length. */
  halves(value: Ref, axis: number): readonly [Ref, Ref];
  reshape(value: Ref, shape: readonly number[]): Ref;
  /** Cross-correlation, without padding unless `pads` (top, left, bottom, right) are given. */
  conv(value: Ref, weights: Ref, options?: ConvOptions): Ref;
  build<Output extends string>(results: Readonly<Record<Output, Result>>): BuiltGraph<Output>;
}

/** An output of the graph, always float32. */
export interface Result {
  readonly value: Ref;
  readonly shape: readonly Dimension[];
}

/** A value, or a number that becomes a constant. */
export type Operand = Ref | number;

export interface ConvOptions {
  readonly bias?: Ref;
  readonly group?: number;
  readonly pads?: readonly number[];
  readonly strides?: readonly number[];
}

/** ONNX's code of the element type. */
export const FLOAT32 = 1;

/** As an end of `slice`: up to the end of the axis. */
export const toEnd = 2 ** 31 - 1;

export function createGraph(name: string): GraphBuilder {
  const nodes: GraphNode[] = [];
  const tensors = new Map<string, GraphTensor>();
  const inputs: GraphValue[] = [];

  const tensor = (type: ElementType, data: GraphTensor['data'], shape: readonly number[]): Ref => {
    const content = `${type} ${shape.join('x')} ${sha256(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))}`;
    const known = tensors.get(content);
    if (known) return known;
    const made: GraphTensor = { name: `c${tensors.size}`, type, shape, data };
    tensors.set(content, made);
    return made;
  };
  const integers = (values: readonly number[]): Ref =>
    tensor('int64', BigInt64Array.from(values, BigInt), [values.length]);
  const constant: GraphBuilder['constant'] = (values, shape) =>
    typeof values === 'number'
      ? tensor('float32', Float32Array.of(values), shape ?? [])
      : tensor('float32', Float32Array.from(values), shape ?? [values.length]);
  const refOf = (operand: Operand): Ref => (typeof operand === 'number' ? constant(operand) : operand);

  const op: GraphBuilder['op'] = (operator, operands, attributes = {}) => {
    const made = { name: `v${nodes.length}` };
    nodes.push({
      op: operator,
      inputs: operands.map((operand) => refOf(operand).name),
      outputs: [made.name],
      attributes,
    });
    return made;
  };

  return {
    input(inputName, type, shape) {
      inputs.push({ name: inputName, type, shape });
      return { name: inputName };
    },
    constant,
    halfConstant: (values, shape) => op('Cast', [tensor('float16', values, shape)], { to: FLOAT32 }),
    halfTensor: (values, shape) => tensor('float16', values, shape),
    byteTensor: (values, shape) => tensor('uint8', values, shape),
    op,
    add: (left, right) => op('Add', [left, right]),
    sub: (left, right) => op('Sub', [left, right]),
    mul: (left, right) => op('Mul', [left, right]),
    div: (left, right) => op('Div', [left, right]),
    sum: (value, axes) => op('ReduceSum', [value, integers(axes)], { keepdims: 0 }),
    slice: (value, axes, starts, ends) => op('Slice', [value, integers(starts), integers(ends), integers(axes)]),
    halves(value, axis) {
      const [first, second] = [{ name: `v${nodes.length}` }, { name: `v${nodes.length}b` }];
      const outputNames = [first.name, second.name];
      nodes.push({ op: 'Split', inputs: [value.name], outputs: outputNames, attributes: { axis, num_outputs: 2 } });
      return [first, second];
    },
    quantise(value) {
      const made = ['', 's', 'z'].map((part) => ({ name: `v${nodes.length}${part}` }));
      const outputNames = made.map(({ name }) => name);
      nodes.push({ op: 'DynamicQuantizeLinear', inputs: [value.name], outputs: outputNames, attributes: {} });
      return made as [Ref, Ref, Ref];
    },
    reshape: (value, shape) => op('Reshape', [value, integers(shape)]),
    conv(value, weights, { bias, group = 1, pads, strides } = {}) {
      const attributes: Record<string, Attribute> = { group };
      if (pads) attributes.pads = pads;
      if (strides) attributes.strides = strides;
      return op('Conv', bias ? [value, weights, bias] : [value, weights], attributes);
    },
    integers,
    build: (results) =>
      finish({ name, opset: 18, nodes, tensors: [...tensors.values()], inputs, outputs: [] }, results),
  };
}

// Identity nodes give the results their names; the runtime removes them.
function finish<Output extends string>(graph: Graph, results: Readonly<Record<Output, Result>>): BuiltGraph<Output> {
  const outputNames = Object.keys(results) as Output[];
  const nodes = [...graph.nodes];
  const outputs: GraphValue[] = [];
  for (const name of outputNames) {
    nodes.push({ op: 'Identity', inputs: [results[name].value.name], outputs: [name], attributes: {} });
    outputs.push({ name, type: 'float32', shape: results[name].shape });
  }
  const whole: Graph = { ...graph, nodes, outputs };
  const bytes = encodeModel(whole);
  return { ...whole, outputNames, bytes, digest: sha256(bytes) };
}
