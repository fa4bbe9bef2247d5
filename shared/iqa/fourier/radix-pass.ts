import { type Code, f32x4, get, i32, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { COMPLEX, type Complex, loadComplex, storeComplex } from './complex.ts';

/** The factors of a length that have a pass of their own, in the order in which they are taken out of it. */
export const RADICES = [4, 2, 3, 5, 7, 11, 13] as const;

/** For each factor a pass that turns its results, `pass4`, and one for the end of a transform, `last4`. */
export const radixPasses = (): readonly WasmFunction[] =>
  RADICES.flatMap((radix) => [radixPass(radix, `pass${radix}`, true), radixPass(radix, `last${radix}`, false)]);

const [SOURCE, TARGET, TURNS, END, SOURCE_STEP, TARGET_STEP, LINE_END, ADDRESS, FIRST_VECTOR] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
];

/**
 * A pass of a transform that sorts itself (Stockham): it takes numbers that lie far apart and writes results near to each
 * other. Parameters: source, target, turns, where the first of the source's parts ends, and the bytes between two parts of
 * the source and two of the target; the latter is also how many numbers share a turn.
 */
const radixPass = (radix: number, name: string, isTurned: boolean): WasmFunction => {
  const vectors = numberedVectors();
  const inputs = Array.from({ length: radix }, vectors.pair);
  const turns = Array.from({ length: isTurned ? radix - 1 : 0 }, vectors.pair);
  const { code, outputs } = radix === 4 ? fourfold(inputs, vectors.pair) : prime(inputs, vectors.pair);
  const butterfly = [
    ...set(ADDRESS, get(SOURCE)),
    ...inputs.flatMap((input) => [...loadComplex(input, ADDRESS), ...step(ADDRESS, get(SOURCE_STEP))]),
    ...code,
    ...set(ADDRESS, get(TARGET)),
    ...outputs.flatMap((output, at) => {
      const turn = turns[at - 1];
      return [...storeComplex(ADDRESS, turn ? product(output, turn) : output), ...step(ADDRESS, get(TARGET_STEP))];
    }),
    ...step(SOURCE, i32.constant(COMPLEX)),
    ...step(TARGET, i32.constant(COMPLEX)),
  ];
  const line = [
    ...turns.flatMap(({ re, im }, at) => [
      ...set(re, v128.loadSplat32(get(TURNS), 8 * at)),
      ...set(im, v128.loadSplat32(get(TURNS), 8 * at + 4)),
    ]),
    ...step(TURNS, i32.constant(8 * turns.length)),
    ...set(LINE_END, i32.add(get(SOURCE), get(TARGET_STEP))),
    ...repeatWhile(butterfly, i32.isLess(get(SOURCE), get(LINE_END))),
    ...Array.from({ length: radix - 1 }, () => step(TARGET, get(TARGET_STEP))).flat(),
  ];
  return {
    name,
    parameters: new Array(6).fill('i32'),
    locals: ['i32', 'i32', ...new Array(vectors.count()).fill('v128')],
    body: repeatWhile(line, i32.isLess(get(SOURCE), get(END))),
  };
};

/** Locals of a complex number. */
type Pair = { readonly re: number; readonly im: number };
interface Butterfly {
  readonly code: Code;
  readonly outputs: readonly Complex[];
}

const numberedVectors = () => {
  let used = 0;
  return {
    pair: (): Pair => ({ re: FIRST_VECTOR + used++, im: FIRST_VECTOR + used++ }),
    count: (): number => used,
  };
};

const step = (local: number, by: Code): Code => set(local, i32.add(get(local), by));
const { add, sub, mul, multiplyAdd, multiplySubtract } = f32x4;

/** Both parts of the number are read twice, so it should lie in locals. */
const product = ({ re, im }: Complex, turn: Pair): Complex => ({
  re: multiplySubtract(im, get(turn.im), mul(re, get(turn.re))),
  im: multiplyAdd(im, get(turn.re), mul(re, get(turn.im))),
});

const fourfold = (inputs: readonly Pair[], pair: () => Pair): Butterfly => {
  const [a, b, c, d] = inputs as [Pair, Pair, Pair, Pair];
  const [even, evenRest, odd, oddRest] = [pair(), pair(), pair(), pair()];
  const results = [pair(), pair(), pair(), pair()] as const;
  const both = (to: Pair, operation: (x: Code, y: Code) => Code, x: Pair, y: Pair): Code => [
    ...set(to.re, operation(get(x.re), get(y.re))),
    ...set(to.im, operation(get(x.im), get(y.im))),
  ];
  const code = [
    ...both(even, add, a, c),
    ...both(evenRest, sub, a, c),
    ...both(odd, add, b, d),
    ...both(oddRest, sub, b, d),
    ...both(results[0], add, even, odd),
    ...both(results[2], sub, even, odd),
    // The odd rest is turned by a quarter.
    ...set(results[1].re, sub(get(evenRest.re), get(oddRest.im))),
    ...set(results[1].im, add(get(evenRest.im), get(oddRest.re))),
    ...set(results[3].re, add(get(evenRest.re), get(oddRest.im))),
    ...set(results[3].im, sub(get(evenRest.im), get(oddRest.re))),
  ];
  return { code, outputs: results.map(complexOf) };
};

/** Numbers at equal distance from the ends meet the same cosine and opposite sines, and so do results. */
const prime = (inputs: readonly Pair[], pair: () => Pair): Butterfly => {
  const radix = inputs.length;
  const [first] = inputs as [Pair];
  const results = inputs.map(pair);
  if (radix === 2) return twofold(inputs, results);
  const halves = Array.from({ length: (radix - 1) / 2 }, (_, at) => at + 1);
  const pairs = halves.map((at) => ({
    sum: pair(),
    rest: pair(),
    x: inputs[at] as Pair,
    y: inputs[radix - at] as Pair,
  }));
  const [along, across] = [pair(), pair()];
  const parts = ['re', 'im'] as const;
  const code: number[] = [];
  for (const { sum, rest, x, y } of pairs) {
    for (const part of parts) {
      code.push(
        ...set(sum[part], add(get(x[part]), get(y[part]))),
        ...set(rest[part], sub(get(x[part]), get(y[part]))),
      );
    }
  }
  for (const part of parts) {
    const all = pairs.map(({ sum }) => get(sum[part])).reduce(add, get(first[part]));
    code.push(...set((results[0] as Pair)[part], all));
  }
  for (const k of halves) {
    const angle = (at: number): number => (2 * Math.PI * ((k * at) % radix)) / radix;
    for (const part of parts) {
      const cosines = pairs.reduce<Code>(
        (total, { sum }, at) => multiplyAdd(get(sum[part]), f32x4.splat(Math.cos(angle(at + 1))), total),
        get(first[part]),
      );
      const sines = pairs.reduce<Code>((total, { rest }, at) => {
        const sine = f32x4.splat(Math.sin(angle(at + 1)));
        return at === 0 ? mul(get(rest[part]), sine) : multiplyAdd(get(rest[part]), sine, total);
      }, []);
      code.push(...set(along[part], cosines), ...set(across[part], sines));
    }
    const [one, other] = [results[k] as Pair, results[radix - k] as Pair];
    code.push(
      ...set(one.re, sub(get(along.re), get(across.im))),
      ...set(one.im, add(get(along.im), get(across.re))),
      ...set(other.re, add(get(along.re), get(across.im))),
      ...set(other.im, sub(get(along.im), get(across.re))),
    );
  }
  return { code, outputs: results.map(complexOf) };
};

const twofold = (inputs: readonly Pair[], results: readonly Pair[]): Butterfly => {
  const [a, b] = inputs as [Pair, Pair];
  const [sum, rest] = results as [Pair, Pair];
  const code = (['re', 'im'] as const).flatMap((part) => [
    ...set(sum[part], add(get(a[part]), get(b[part]))),
    ...set(rest[part], sub(get(a[part]), get(b[part]))),
  ]);
  return { code, outputs: results.map(complexOf) };
};

const complexOf = ({ re, im }: Pair): Complex => ({ re: get(re), im: get(im) });
