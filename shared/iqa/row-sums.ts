import { lazily } from '../kernel/lazily.ts';
import { advance, get, i16x8, i32, repeatWhile, set, v128, type WasmFunction } from './wasm/assemble.ts';
import { instantiate } from './wasm/instance.ts';

/**
 * Adds consecutive rows of bytes column by column. Sums have 16 bits, enough for 257 rows of white. The result is
 * overwritten by the next call.
 */
export const sumRows = (bytes: Uint8Array, length: number): Uint16Array => {
  const { reserve, run } = kernels();
  const sumsStart = 16 * Math.ceil((bytes.length + STEP) / 16);
  const memory = reserve(sumsStart + 2 * (length + STEP));
  new Uint8Array(memory, 0, bytes.length).set(bytes);
  const sums = new Uint16Array(memory, sumsStart, length);
  new Uint16Array(memory, sumsStart, length + STEP).fill(0);
  for (let start = 0; start < bytes.length; start += length) run('add', start, sumsStart, start + length);
  return sums;
};

/** Bytes per step of the vector code; bytes read past the end of a row are added past the end of the sums. */
const STEP = 16;

/** Adds a row of bytes to the sums. Parameters: the bytes, the sums, and end of the bytes. */
const add = (): WasmFunction => {
  const [place, sums, end, bytes] = [0, 1, 2, 3];
  const addTo = (offset: number, half: (bytes: readonly number[]) => readonly number[]) =>
    v128.store(get(sums), i16x8.add(v128.load(get(sums), offset), half(get(bytes))), offset);
  const body = [
    ...set(bytes, v128.load(get(place))),
    ...addTo(0, i16x8.fromLowerBytes),
    ...addTo(STEP, i16x8.fromUpperBytes),
    ...advance([place], STEP),
    ...advance([sums], 2 * STEP),
  ];
  return {
    name: 'add',
    parameters: ['i32', 'i32', 'i32'],
    locals: ['v128'],
    body: repeatWhile(body, i32.isLess(get(place), get(end))),
  };
};

const kernels = lazily(() => instantiate([add()]));
