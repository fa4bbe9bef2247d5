import { lazily } from '../../kernel/lazily.ts';
import { advance, type Code, f64x2, get, i32, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { instantiate } from '../wasm/instance.ts';
import { bandAcross, bandDown, low, lowFirst, type Sp5Filter } from './sp5-filters.ts';

/** Padding before and after a row: half the widest filter. */
export const MARGIN = 4;

const join = (sign: 1 | -1): typeof f64x2.add => (sign === 1 ? f64x2.add : f64x2.sub);

/**
 * Filters one row of float64. Parameters: as many rows as the filter is high, each from its margin, the result, and its
 * end. Symmetric taps are folded first, so that the response to a slope is exactly zero or exactly constant.
 */
const filterRow = (name: string, { side, taps, down, across }: Sp5Filter): WasmFunction => {
  const reach = (side - 1) / 2;
  const rows = Array.from({ length: side }, (_, row) => row);
  const [out, end] = [side, side + 1];
  const load = (row: number, column: number): Code => v128.load(get(row), 8 * (MARGIN - reach + column));
  const foldRows = (distance: number, column: number): Code =>
    distance === 0 ? load(reach, column) : join(down)(load(reach - distance, column), load(reach + distance, column));
  const fold = (distance: number, aside: number): Code =>
    aside === 0
      ? foldRows(distance, reach)
      : join(across)(foldRows(distance, reach - aside), foldRows(distance, reach + aside));
  const distances = Array.from({ length: reach + 1 }, (_, distance) => distance);
  const terms = distances.flatMap((distance) =>
    distances
      .filter((aside) => (down === 1 || distance > 0) && (across === 1 || aside > 0))
      .map((aside) =>
        f64x2.mul(fold(distance, aside), f64x2.splat(taps[(reach - distance) * side + reach - aside] as number)),
      ),
  );
  return {
    name,
    parameters: new Array(side + 2).fill('i32'),
    locals: [],
    body: repeatWhile(
      [...v128.store(get(out), terms.reduce(f64x2.add)), ...advance([...rows, out])],
      i32.isLess(get(out), get(end)),
    ),
  };
};

/** x, y, xx, yy and xy of two rows. Parameters: x, y, five rows of results, and end of the first result. */
const products = (): WasmFunction => {
  const [x, y, end, a, b] = [0, 1, 7, 8, 9];
  const outs = [2, 3, 4, 5, 6];
  const values = [get(a), get(b), f64x2.mul(get(a), get(a)), f64x2.mul(get(b), get(b)), f64x2.mul(get(a), get(b))];
  const store = outs.flatMap((out, at) => v128.store(get(out), values[at] as Code));
  return {
    name: 'products',
    parameters: new Array(8).fill('i32'),
    locals: ['v128', 'v128'],
    body: repeatWhile(
      [...set(a, v128.load(get(x))), ...set(b, v128.load(get(y))), ...store, ...advance([x, y, ...outs])],
      i32.isLess(get(outs[0] as number), get(end)),
    ),
  };
};

/** Adds a row to another. Parameters: the sum, the row to add, and end of the sum. */
const addRow = (): WasmFunction => {
  const [sum, row, end] = [0, 1, 2];
  return {
    name: 'addRow',
    parameters: ['i32', 'i32', 'i32'],
    locals: [],
    body: repeatWhile(
      [...v128.store(get(sum), f64x2.add(v128.load(get(sum)), v128.load(get(row)))), ...advance([sum, row])],
      i32.isLess(get(sum), get(end)),
    ),
  };
};

/** Adds the products of two rows of even length to two sums. Parameters: both rows, end of the first, and the sums. */
const dot = (): WasmFunction => {
  const [a, b, end, out, sum] = [0, 1, 2, 3, 4];
  const product = f64x2.mul(v128.load(get(a)), v128.load(get(b)));
  return {
    name: 'dot',
    parameters: ['i32', 'i32', 'i32', 'i32'],
    locals: ['v128'],
    body: [
      ...set(sum, v128.load(get(out))),
      ...repeatWhile([...set(sum, f64x2.add(get(sum), product)), ...advance([a, b])], i32.isLess(get(a), get(end))),
      ...v128.store(get(out), get(sum)),
    ],
  };
};

export const vifKernels = lazily(() =>
  instantiate([
    filterRow('lowFirst', lowFirst),
    filterRow('low', low),
    filterRow('bandDown', bandDown),
    filterRow('bandAcross', bandAcross),
    products(),
    addRow(),
    dot(),
  ]),
);
