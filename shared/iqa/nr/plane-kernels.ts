import { lazily } from '../../kernel/lazily.ts';
import {
  advance,
  type Code,
  f32x4,
  get,
  i32,
  narrowToBytes,
  repeatWhile,
  set,
  v128,
  type WasmFunction,
} from '../wasm/assemble.ts';
import { instantiate } from '../wasm/instance.ts';

/** The weights of red, green and blue in YIQ luma. */
export const LUMA = [0.299, 0.587, 0.114] as const;

/** Bicubic with a = -0.5, widened by two for antialiasing; all taps are exact in float32. */
export const HALF_TAPS = [-3, -9, 29, 111, 111, 29, -9, -3].map((tap) => tap / 256);

/** One colour of four pixels, in [0, 1]. */
const colourOf = (address: Code, offset: number, colour: number): Code => {
  const places = Array.from({ length: 16 }, (_, place) => (place % 4 === 0 ? colour + (3 * place) / 4 : 16));
  return f32x4.div(f32x4.fromInt32(v128.shuffle(v128.load(address, offset), v128.zero, places)), f32x4.splat(255));
};

/** The luma of four pixels: the first product is rounded, the other two go into fused multiply-adds. */
const lumaOf = (address: Code, offset: number): Code =>
  f32x4.multiplyAdd(
    colourOf(address, offset, 2),
    f32x4.splat(LUMA[2]),
    f32x4.multiplyAdd(
      colourOf(address, offset, 1),
      f32x4.splat(LUMA[1]),
      f32x4.mul(colourOf(address, offset, 0), f32x4.splat(LUMA[0])),
    ),
  );

const GROUPS = [0, 1, 2, 3] as const;

/** Luma divided by a maximum, in 0..255. Parameters: RGB pixels, bytes of luma, their end, and the maximum. */
const luma = (): WasmFunction => {
  const [pixels, out, end, max, vector] = [0, 1, 2, 3, 4];
  const byteOf = (group: number): Code =>
    f32x4.nearest(f32x4.mul(f32x4.splat(255), f32x4.div(lumaOf(get(pixels), 12 * group), get(vector))));
  const store = v128.store(get(out), narrowToBytes([byteOf(0), byteOf(1), byteOf(2), byteOf(3)]));
  return {
    name: 'luma',
    parameters: ['i32', 'i32', 'i32', 'f32'],
    locals: ['v128'],
    body: [
      ...set(vector, f32x4.splatOf(get(max))),
      ...repeatWhile([...store, ...advance([pixels], 48), ...advance([out])], i32.isLess(get(out), get(end))),
    ],
  };
};

/** Updates four maxima by the luma of pixels. Parameters: RGB pixels, their end, and the maxima. */
const lumaMaximum = (): WasmFunction => {
  const [pixels, end, out, most] = [0, 1, 2, 3];
  const raise = GROUPS.flatMap((group) => set(most, f32x4.max(get(most), lumaOf(get(pixels), 12 * group))));
  return {
    name: 'lumaMaximum',
    parameters: ['i32', 'i32', 'i32'],
    locals: ['v128'],
    body: [
      ...set(most, v128.load(get(out))),
      ...repeatWhile([...raise, ...advance([pixels], 48)], i32.isLess(get(pixels), get(end))),
      ...v128.store(get(out), get(most)),
    ],
  };
};

const EVEN = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const ODD = EVEN.map((place) => place + 4);

/** Halves eight rows to one, split into even and odd columns. Parameters: the rows, even columns, odd columns, end of the even ones. */
const halveColumns = (): WasmFunction => {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7];
  const [even, odd, end, left, right] = [8, 9, 10, 11, 12];
  const sum = (offset: number): Code =>
    HALF_TAPS.map((tap, row) => f32x4.mul(v128.load(get(row), offset), f32x4.splat(tap))).reduce(f32x4.add);
  const body = [
    ...set(left, sum(0)),
    ...set(right, sum(16)),
    ...v128.store(get(even), v128.shuffle(get(left), get(right), EVEN)),
    ...v128.store(get(odd), v128.shuffle(get(left), get(right), ODD)),
    ...advance(rows, 32),
    ...advance([even, odd]),
  ];
  return {
    name: 'halveColumns',
    parameters: new Array(11).fill('i32'),
    locals: ['v128', 'v128'],
    body: repeatWhile(body, i32.isLess(get(even), get(end))),
  };
};

/** Halves a row. Parameters: even columns and odd columns, each with two before the first, the result, and its end. */
const halveRow = (): WasmFunction => {
  const [even, odd, out, end] = [0, 1, 2, 3];
  // Tap t reads column 2x - 3 + t, which is odd for even taps: element x + (t >> 1) - 2 of the odd ones, or - 1 of the even.
  const terms = HALF_TAPS.map((tap, at) =>
    f32x4.mul(v128.load(get(at % 2 === 0 ? odd : even), 4 * ((at >> 1) + (at % 2))), f32x4.splat(tap)),
  );
  const body = [...v128.store(get(out), terms.reduce(f32x4.add)), ...advance([even, odd, out])];
  return {
    name: 'halveRow',
    parameters: ['i32', 'i32', 'i32', 'i32'],
    locals: [],
    body: repeatWhile(body, i32.isLess(get(out), get(end))),
  };
};

/** Divides a row by a number, in place. Parameters: the row, its end, the number. */
const divide = (): WasmFunction => {
  const [row, end, divisor, vector] = [0, 1, 2, 3];
  return {
    name: 'divide',
    parameters: ['i32', 'i32', 'f32'],
    locals: ['v128'],
    body: [
      ...set(vector, f32x4.splatOf(get(divisor))),
      ...repeatWhile(
        [...v128.store(get(row), f32x4.div(v128.load(get(row)), get(vector))), ...advance([row])],
        i32.isLess(get(row), get(end)),
      ),
    ],
  };
};

export const lumaKernels = lazily(() => instantiate([luma(), lumaMaximum()]));
export const halfKernels = lazily(() => instantiate([halveColumns(), halveRow(), divide()]));
