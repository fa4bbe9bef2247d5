/**
 * An ONNX model of one picture whose score passes through a Loop: once, or for ever if its condition stays true.
 * Encoded field by field (with the numbers of onnx.proto), because the product's own graphs have no loops.
 */
export const loopingModel = ({ isEndless }: { readonly isEndless: boolean }): Uint8Array => {
  const body = [
    node('Identity', [isEndless ? 'condition' : 'never'], ['goes_on']),
    node('Identity', ['value'], ['next']),
    field(2, text('body')),
    ...(isEndless ? [] : [scalarFalse('never')]),
    field(11, valueInfo('turn', INT64, [])),
    field(11, valueInfo('condition', BOOL, [])),
    field(11, valueInfo('value', FLOAT, [1])),
    field(12, valueInfo('goes_on', BOOL, [])),
    field(12, valueInfo('next', FLOAT, [1])),
  ];
  const graph = [
    node('ReduceMean', ['image'], ['mean'], attribute('keepdims', number(3, 0), 2)),
    node('Reshape', ['mean', 'one'], ['start']),
    node('Loop', ['', 'always', 'start'], ['score'], attribute('body', field(6, body.flat()), 5)),
    field(2, text('looping')),
    field(5, [...number(1, 1), ...number(2, INT64), ...field(8, text('one')), ...field(9, [1, 0, 0, 0, 0, 0, 0, 0])]),
    field(5, [...number(2, BOOL), ...field(8, text('always')), ...field(9, [1])]),
    field(11, valueInfo('image', FLOAT, [1, 3, 'height', 'width'])),
    field(12, valueInfo('score', FLOAT, [1])),
  ];
  const opset = [...field(1, []), ...number(2, 17)];
  return Uint8Array.from([...number(1, 8), ...field(7, graph.flat()), ...field(8, opset)]);
};

type Bytes = readonly number[];
const [FLOAT, INT64, BOOL] = [1, 7, 9];

const text = (value: string): Bytes => [...Buffer.from(value)];
const varint = (value: number): Bytes => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
const number = (tag: number, value: number): Bytes => [...varint(tag << 3), ...varint(value)];
const field = (tag: number, bytes: Bytes): Bytes => [...varint((tag << 3) | 2), ...varint(bytes.length), ...bytes];

const node = (op: string, inputs: readonly string[], outputs: readonly string[], attributes: Bytes = []): Bytes =>
  field(1, [
    ...inputs.flatMap((name) => field(1, text(name))),
    ...outputs.flatMap((name) => field(2, text(name))),
    ...field(4, text(op)),
    ...attributes,
  ]);

const attribute = (name: string, value: Bytes, type: number): Bytes =>
  field(5, [...field(1, text(name)), ...value, ...number(20, type)]);

const scalarFalse = (name: string): Bytes => field(5, [...number(2, BOOL), ...field(8, text(name)), ...field(9, [0])]);

const valueInfo = (name: string, type: number, shape: readonly (number | string)[]): Bytes => {
  const dimensions = shape.flatMap((size) =>
    field(1, typeof size === 'number' ? number(1, size) : field(2, text(size))),
  );
  return [...field(1, text(name)), ...field(2, field(1, [...number(1, type), ...field(2, dimensions)]))];
};
