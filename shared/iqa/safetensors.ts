import { Fault } from '../kernel/errors.ts';

/** A tensor of float32, or of float16 as raw bits. */
export interface WeightTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array | Uint16Array;
}

const HEADER_LIMIT = 1 << 20;

/** Reads the float32 and float16 tensors of a safetensors file: the header's length, a JSON header, then the values. */
export const readSafetensors = (
  file: Uint8Array,
  isWanted: (name: string) => boolean = () => true,
): ReadonlyMap<string, WeightTensor> => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = file.length < 8 ? Number.NaN : Number(view.getBigUint64(0, true));
  if (!(length <= Math.min(HEADER_LIMIT, file.length - 8))) throw broken('its header is cut off');
  const header = parseHeader(new TextDecoder().decode(file.subarray(8, 8 + length)));
  const body = file.subarray(8 + length);
  return new Map(
    Object.entries(header)
      .filter(([name]) => name !== '__metadata__' && isWanted(name))
      .map(([name, entry]) => [name, readTensor(name, entry, body)]),
  );
};

interface Entry {
  readonly dtype?: unknown;
  readonly shape?: unknown;
  readonly data_offsets?: unknown;
}

const parseHeader = (text: string): Readonly<Record<string, Entry>> => {
  try {
    return JSON.parse(text) as Record<string, Entry>;
  } catch {
    throw broken('its header is not JSON');
  }
};

const readTensor = (name: string, { dtype, shape, data_offsets: offsets }: Entry, body: Uint8Array): WeightTensor => {
  const isHalf = dtype === 'F16';
  if (!(isHalf || dtype === 'F32') || !isSizes(shape) || !isSizes(offsets) || offsets.length !== 2)
    throw broken(`${name} is not a tensor of float32 or float16`);
  const [from, to] = offsets as [number, number];
  const count = shape.reduce((product, size) => product * size, 1);
  if (to > body.length || to - from !== (isHalf ? 2 : 4) * count) throw broken(`${name} lies outside the file`);
  // A copy is aligned for typed arrays.
  const { buffer } = new Uint8Array(body.subarray(from, to));
  return { shape, data: isHalf ? new Uint16Array(buffer) : new Float32Array(buffer) };
};

const isSizes = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);

const broken = (what: string): Fault =>
  new Fault('Unavailable', `the weights are not a valid safetensors file: ${what}; restore the file`);
