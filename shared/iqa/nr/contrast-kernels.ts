import { lazily } from '../../kernel/lazily.ts';
import {
  advance,
  type Code,
  f32x4,
  f64x2,
  get,
  i32,
  repeatWhile,
  set,
  v128,
  type WasmFunction,
} from '../wasm/assemble.ts';
import { instantiate } from '../wasm/instance.ts';

export const RADIUS = 3;
export const SIDE = 2 * RADIUS + 1;

/** The weights of a 7 x 7 Gaussian window in raster order, rounded to float32. */
export const WINDOW = gaussianWindow();

const at = (row: number, column: number): number => WINDOW[row * SIDE + column] as number;

/**
 * Local contrast of a row in float32. Parameters: seven padded rows, the result, and its end. Products are added in
 * raster order and rounded once, because these last bits decide the score of flat areas.
 */
const contrast32 = (): WasmFunction => {
  const rows = [0, 1, 2, 3, 4, 5, 6];
  const [out, end, pixels] = [7, 8, 9];
  // Two independent vectors hide the latency of the additions.
  const vectors = [
    { offset: 0, mean: 10, power: 11 },
    { offset: 16, mean: 12, power: 13 },
  ];
  const clear = vectors.flatMap(({ mean, power }) => [...set(mean, v128.zero), ...set(power, v128.zero)]);
  const taps = rows.flatMap((row) =>
    rows.flatMap((column) =>
      vectors.flatMap(({ offset, mean, power }) => [
        ...set(pixels, v128.load(get(row), 4 * column + offset)),
        ...set(mean, f32x4.multiplyAdd(get(pixels), f32x4.splat(at(row, column)), get(mean))),
        ...set(power, f32x4.multiplyAdd(f32x4.mul(get(pixels), get(pixels)), f32x4.splat(at(row, column)), get(power))),
      ]),
    ),
  );
  const finish = vectors.flatMap(({ offset, mean, power }) => {
    const variance = f32x4.sub(get(power), f32x4.mul(get(mean), get(mean)));
    const deviation = f32x4.sqrt(f32x4.add(f32x4.abs(variance), f32x4.splat(2 ** -23)));
    const centred = f32x4.sub(v128.load(get(RADIUS), 4 * RADIUS + offset), get(mean));
    return v128.store(get(out), f32x4.div(centred, f32x4.add(deviation, f32x4.splat(1))), offset);
  });
  return {
    name: 'contrast32',
    parameters: new Array(9).fill('i32'),
    locals: new Array(5).fill('v128'),
    body: repeatWhile([...clear, ...taps, ...finish, ...advance([...rows, out], 32)], i32.isLess(get(out), get(end))),
  };
};

/**
 * The weighted sum of each column of the window, in float64; by symmetry four differ. Parameters: seven padded rows, four
 * rows of results, and end of the first of these.
 */
const columns64 = (): WasmFunction => {
  const [outs, end] = [[7, 8, 9, 10], 11];
  const sums = [12, 13, 14, 15];
  const pair = (distance: number): Code =>
    f64x2.add(v128.load(get(RADIUS - distance)), v128.load(get(RADIUS + distance)));
  const gather = [0, 1, 2, 3].flatMap((distance) =>
    set(sums[distance] as number, distance === 0 ? v128.load(get(RADIUS)) : pair(distance)),
  );
  const weigh = outs.flatMap((out, column) => {
    const terms = sums.map((sum, distance) => f64x2.mul(f64x2.splat(at(RADIUS + distance, RADIUS + column)), get(sum)));
    return v128.store(get(out), terms.reduce(f64x2.add));
  });
  return {
    name: 'columns64',
    parameters: new Array(12).fill('i32'),
    locals: new Array(4).fill('v128'),
    body: repeatWhile(
      [...gather, ...weigh, ...advance([0, 1, 2, 3, 4, 5, 6, ...outs], 16)],
      i32.isLess(get(outs[0] as number), get(end)),
    ),
  };
};

/** Local contrast in float64. Parameters: four columns of values and of squares, the padded row, the result, its end. */
const contrast64 = (): WasmFunction => {
  const [values, squares, row, out, end] = [[0, 1, 2, 3], [4, 5, 6, 7], 8, 9, 10] as const;
  const [mean, power] = [11, 12];
  const load = (column: number, pixel: number): Code => v128.load(get(column), 8 * pixel);
  const pair = (column: number, distance: number): Code =>
    f64x2.add(load(column, RADIUS - distance), load(column, RADIUS + distance));
  const sum = ([c0, c1, c2, c3]: readonly [number, number, number, number]): Code =>
    f64x2.add(f64x2.add(f64x2.add(pair(c3, 3), pair(c2, 2)), pair(c1, 1)), load(c0, RADIUS));
  const variance = f64x2.sub(get(power), f64x2.mul(get(mean), get(mean)));
  const deviation = f64x2.sqrt(f64x2.add(f64x2.abs(variance), f64x2.splat(2 ** -52)));
  const result = f64x2.div(f64x2.sub(load(row, RADIUS), get(mean)), f64x2.add(deviation, f64x2.splat(1)));
  const body = [...set(mean, sum(values)), ...set(power, sum(squares)), ...v128.store(get(out), result)];
  return {
    name: 'contrast64',
    parameters: new Array(11).fill('i32'),
    locals: ['v128', 'v128'],
    body: repeatWhile([...body, ...advance([...values, ...squares, row, out], 16)], i32.isLess(get(out), get(end))),
  };
};

export const contrastKernels = lazily(() => instantiate([contrast32(), columns64(), contrast64()]));

function gaussianWindow(): Float64Array {
  const taps = Float64Array.from({ length: SIDE * SIDE }, (_, tap) => {
    const dy = Math.floor(tap / SIDE) - RADIUS;
    const dx = (tap % SIDE) - RADIUS;
    return Math.exp(-(dx * dx + dy * dy) / (2 * (7 / 6) ** 2));
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => Math.fround(tap / sum));
}
