import { type Code, f32x4, get, i32, increment, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { COMPLEX, type Complex, loadComplex, storeComplex } from './complex.ts';

/** The radices with a pass, in the order in which a length is factorised. */
export const RADICES = [4, 2, 3, 5, 7, 11, 13] as const;

/** Two kernels per radix: `pass4` multiplies its results by twiddle factors, `last4` ends a transform without them. */
export const radixPasses = (): readonly WasmFunction[] =>
  RADICES.flatMap((radix) => [radixPass(radix, `pass${radix}`, true), radixPass(radix, `last${radix}`, false)]);

const [SOURCE, TARGET, TWIDDLES, END, SOURCE_STEP, TARGET_STEP, LINE_END, ADDRESS, FIRST_VECTOR] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
];

/**
 * One pass of a Stockham (self-sorting) transform. Parameters: source, target, twiddle factors, end of the first part of
 * the source, and the bytes between two parts of the source and of the target; numbers within the latter share a factor.
 */
const radixPass = (radix: number, name: string, hasTwiddles: boolean): WasmFunction => {
  const vectors = numberedVectors();
  const inputs = Array.from({ length: radix }, vectors.pair);
  const twiddles = Array.from({ length: hasTwiddles ? radix - 1 : 0 }, vectors.pair);
  const { code, outputs } = radix === 4 ? radix4(inputs, vectors.pair) : primeRadix(inputs, vectors.pair);
  const butterfly = [
    ...set(ADDRESS, get(SOURCE)),
    ...inputs.flatMap((input) => [...loadComplex(input, ADDRESS), ...increment(ADDRESS, get(SOURCE_STEP))]),
    ...code,
    ...set(ADDRESS, get(TARGET)),
    ...outputs.flatMap((output, at) => {
      const twiddle = twiddles[at - 1];
      return [
        ...storeComplex(ADDRESS, twiddle ? product(output, twiddle) : output),
        ...increment(ADDRESS, get(TARGET_STEP)),
      ];
    }),
    ...increment(SOURCE, i32.constant(COMPLEX)),
    ...increment(TARGET, i32.constant(COMPLEX)),
  ];
  const line = [
    ...twiddles.flatMap(({ re, im }, at) => [
      ...set(re, v128.loadSplat32(get(TWIDDLES), 8 * at)),
      ...set(im, v128.loadSplat32(get(TWIDDLES), 8 * at + 4)),
    ]),
    ...increment(TWIDDLES, i32.constant(8 * twiddles.length)),
    ...set(LINE_END, i32.add(get(SOURCE), get(TARGET_STEP))),
    ...repeatWhile(butterfly, i32.isLess(get(SOURCE), get(LINE_END))),
    ...Array.from({ length: radix - 1 }, () => increment(TARGET, get(TARGET_STEP))).flat(),
  ];
  return {
    name,
    parameters: new Array(6).fill('i32'),
    locals: ['i32', 'i32', ...new Array(vectors.count()).fill('v128')],
    body: repeatWhile(line, i32.isLess(get(SOURCE), get(END))),
  };
};

/** The local variables that hold a complex number. */
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

const { add, sub, mul, multiplyAdd, multiplySubtract } = f32x4;

/** Reads both parts of the first number twice, so they should be in locals. */
const product = ({ re, im }: Complex, twiddle: Pair): Complex => ({
  re: multiplySubtract(im, get(twiddle.im), mul(re, get(twiddle.re))),
  im: multiplyAdd(im, get(twiddle.re), mul(re, get(twiddle.im))),
});

const radix4 = (inputs: readonly Pair[], pair: () => Pair): Butterfly => {
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
    // The odd difference is multiplied by i.
    ...set(results[1].re, sub(get(evenRest.re), get(oddRest.im))),
    ...set(results[1].im, add(get(evenRest.im), get(oddRest.re))),
    ...set(results[3].re, add(get(evenRest.re), get(oddRest.im))),
    ...set(results[3].im, sub(get(evenRest.im), get(oddRest.re))),
  ];
  return { code, outputs: results.map(loadPair) };
};

/** Inputs k and n - k share their cosines and have opposite sines, and so do outputs: that halves the multiplications. */
const primeRadix = (inputs: readonly Pair[], pair: () => Pair): Butterfly => {
  const radix = inputs.length;
  const [first] = inputs as [Pair];
  const results = inputs.map(pair);
  if (radix === 2) return radix2(inputs, results);
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
  return { code, outputs: results.map(loadPair) };
};

const radix2 = (inputs: readonly Pair[], results: readonly Pair[]): Butterfly => {
  const [a, b] = inputs as [Pair, Pair];
  const [sum, rest] = results as [Pair, Pair];
  const code = (['re', 'im'] as const).flatMap((part) => [
    ...set(sum[part], add(get(a[part]), get(b[part]))),
    ...set(rest[part], sub(get(a[part]), get(b[part]))),
  ]);
  return { code, outputs: results.map(loadPair) };
};

const loadPair = ({ re, im }: Pair): Complex => ({ re: get(re), im: get(im) });
