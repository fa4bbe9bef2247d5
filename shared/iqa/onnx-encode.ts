import type { Attribute, ElementType, Graph, GraphNode, GraphTensor, GraphValue } from './graph.ts';

/** Bytes in the order of the file; joined once at the end, so that large tensors are copied only once. */
type Parts = readonly Uint8Array[];

/** Encodes a graph as an ONNX file. Field numbers are those of onnx.proto; equal graphs have equal bytes. */
export function encodeModel(graph: Graph): Uint8Array {
  const body = message(
    ...graph.nodes.map((node) => field(1, encodeNode(node))),
    field(2, text(graph.name)),
    ...graph.tensors.map((tensor) => field(5, encodeTensor(tensor))),
    ...graph.inputs.map((value) => field(11, encodeValue(value))),
    ...graph.outputs.map((value) => field(12, encodeValue(value))),
  );
  const operators = message(field(1, text('')), number(2, graph.opset));
  return join(message(number(1, irVersion), field(2, text('assay')), field(7, body), field(8, operators)));
}

const irVersion = 8;

const elementCode: Readonly<Record<ElementType, number>> = {
  float32: 1,
  uint8: 2,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
};
const attributeCode = { float: 1, int: 2, string: 3, ints: 7 } as const;

function encodeNode(node: GraphNode): Parts {
  return message(
    ...node.inputs.map((name) => field(1, text(name))),
    ...node.outputs.map((name) => field(2, text(name))),
    field(3, text(node.outputs[0] ?? node.op)),
    field(4, text(node.op)),
    ...Object.entries(node.attributes).map(([name, value]) => field(5, encodeAttribute(name, value))),
  );
}

function encodeAttribute(name: string, value: Attribute): Parts {
  if (typeof value === 'string')
    return message(field(1, text(name)), field(4, text(value)), number(20, attributeCode.string));
  if (typeof value === 'number') return message(field(1, text(name)), number(3, value), number(20, attributeCode.int));
  if ('float' in value) return message(field(1, text(name)), float(2, value.float), number(20, attributeCode.float));
  return message(field(1, text(name)), ...value.map((item) => number(8, item)), number(20, attributeCode.ints));
}

function encodeTensor(tensor: GraphTensor): Parts {
  return message(
    ...tensor.shape.map((size) => number(1, size)),
    number(2, elementCode[tensor.type]),
    field(8, text(tensor.name)),
    field(9, [new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength)]),
  );
}

function encodeValue(value: GraphValue): Parts {
  const dimensions = value.shape.map((size) =>
    field(1, typeof size === 'number' ? message(number(1, size)) : message(field(2, text(size)))),
  );
  const tensorType = message(number(1, elementCode[value.type]), field(2, message(...dimensions)));
  return message(field(1, text(value.name)), field(2, message(field(1, tensorType))));
}

const text = (value: string): Parts => [new TextEncoder().encode(value)];

const field = (tag: number, parts: Parts): Parts => [
  ...varint((BigInt(tag) << 3n) | 2n),
  ...varint(BigInt(lengthOf(parts))),
  ...parts,
];

// A negative number is encoded as its 64-bit two's complement, in ten bytes.
const number = (tag: number, value: number): Parts =>
  message(varint(BigInt(tag) << 3n), varint(BigInt.asUintN(64, BigInt(value))));

function float(tag: number, value: number): Parts {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [...varint((BigInt(tag) << 3n) | 5n), bytes];
}

function varint(value: bigint): Parts {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return [Uint8Array.from(bytes)];
}

const message = (...fields: readonly Parts[]): Parts => fields.flat();

const lengthOf = (parts: Parts): number => parts.reduce((length, part) => length + part.length, 0);

function join(parts: Parts): Uint8Array {
  const joined = new Uint8Array(lengthOf(parts));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
