import { lazily } from '../../kernel/lazily.ts';
import { advance, type Code, f32x4, get, i32, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { instantiate } from '../wasm/instance.ts';

/** The published numbers: weights of red, green and blue, and the stabilising constants of the similarities. */
export const FIGURES = {
  lightness: [0.2989, 0.587, 0.114],
  colours: [
    [0.3, 0.04, -0.35],
    [0.34, -0.6, 0.17],
  ],
  edges: 140,
  edges_to_mean: 55,
  colour: 550,
  share_of_edges: 0.6,
} as const;

const { add, sub, mul, div, sqrt, splat } = f32x4;
const square = (a: Code): Code => mul(a, a);

/** (2ab + c) / (a^2 + b^2 + c) */
const dice = (a: Code, b: Code, constant: number): Code =>
  div(add(mul(splat(2), mul(a, b)), splat(constant)), add(add(square(a), square(b)), splat(constant)));

/**
 * Lightness of both pictures and their colour similarity. Parameters: rows of red, green and blue of both pictures, the
 * rows of lightness, the row of similarity, and end of the first row.
 */
const mix = (): WasmFunction => {
  const inputs = [0, 1, 2, 3, 4, 5];
  const [lightX, lightY, colour, end] = [6, 7, 8, 9];
  const values = [10, 11, 12, 13, 14, 15];
  const mixed = (picture: 0 | 1, weights: readonly number[]): Code =>
    weights.map((weight, channel) => mul(get(values[3 * picture + channel] as number), splat(weight))).reduce(add);
  const [[hx, mx], [hy, my]] = [
    [16, 17],
    [18, 19],
  ] as const;
  const [hue, other] = FIGURES.colours;
  const both = add(mul(get(hx), get(hy)), mul(get(mx), get(my)));
  const each = add(add(square(get(hx)), square(get(hy))), add(square(get(mx)), square(get(my))));
  const body = [
    ...inputs.flatMap((input, at) => set(values[at] as number, v128.load(get(input)))),
    ...v128.store(get(lightX), mixed(0, FIGURES.lightness)),
    ...v128.store(get(lightY), mixed(1, FIGURES.lightness)),
    ...set(hx, mixed(0, hue)),
    ...set(hy, mixed(1, hue)),
    ...set(mx, mixed(0, other)),
    ...set(my, mixed(1, other)),
    ...v128.store(get(colour), div(add(mul(splat(2), both), splat(FIGURES.colour)), add(each, splat(FIGURES.colour)))),
    ...advance([...inputs, lightX, lightY, colour]),
  ];
  return {
    name: 'mix',
    parameters: new Array(10).fill('i32'),
    locals: new Array(10).fill('v128'),
    body: repeatWhile(body, i32.isLess(get(inputs[0] as number), get(end))),
  };
};

/**
 * Gradient and colour similarity of a row. Parameters: three rows of lightness per picture, the colour similarity, the
 * result, and its end. The gradient of the mean picture is the mean of the gradients.
 */
const compare = (): WasmFunction => {
  const [colour, out, end] = [6, 7, 8];
  const rows = [
    [0, 1, 2],
    [3, 4, 5],
  ] as const;
  const [acrossX, downX, acrossY, downY, x, y, mean] = [9, 10, 11, 12, 13, 14, 15];
  const at = (row: number, column: number): Code => v128.load(get(row), 4 * column);
  const third = splat(1 / 3);
  const across = (picture: 0 | 1): Code =>
    mul(rows[picture].map((row) => sub(at(row, 0), at(row, 2))).reduce(add), third);
  const down = (picture: 0 | 1): Code => {
    const [above, , below] = rows[picture];
    return mul([0, 1, 2].map((column) => sub(at(above, column), at(below, column))).reduce(add), third);
  };
  const length = (a: Code, b: Code): Code => sqrt(add(square(a), square(b)));
  const half = (a: Code, b: Code): Code => mul(add(a, b), splat(0.5));
  const toMean = sub(dice(get(x), get(mean), FIGURES.edges_to_mean), dice(get(y), get(mean), FIGURES.edges_to_mean));
  const edges = add(dice(get(x), get(y), FIGURES.edges), toMean);
  const body = [
    ...set(acrossX, across(0)),
    ...set(downX, down(0)),
    ...set(acrossY, across(1)),
    ...set(downY, down(1)),
    ...set(x, length(get(acrossX), get(downX))),
    ...set(y, length(get(acrossY), get(downY))),
    ...set(mean, length(half(get(acrossX), get(acrossY)), half(get(downX), get(downY)))),
    ...v128.store(
      get(out),
      add(mul(edges, splat(FIGURES.share_of_edges)), mul(v128.load(get(colour)), splat(1 - FIGURES.share_of_edges))),
    ),
    ...advance([0, 1, 2, 3, 4, 5, colour, out]),
  ];
  return {
    name: 'compare',
    parameters: new Array(9).fill('i32'),
    locals: new Array(7).fill('v128'),
    body: repeatWhile(body, i32.isLess(get(out), get(end))),
  };
};

export const kernels = lazily(() => instantiate([mix(), compare()]));
