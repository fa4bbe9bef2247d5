import { type Code, f32x4, get, i32, increment, repeatWhile, set, v128, type WasmFunction } from '../wasm/assemble.ts';
import { COMPLEX, loadComplex, storeComplex } from './complex.ts';

const { mul, multiplyAdd, multiplySubtract, negative } = f32x4;

/**
 * Multiplies each line of numbers by one complex factor, and conjugates the product if asked to. Parameters: source,
 * target, factors, end of the source, and bytes per line.
 */
const multiply = (name: string, isConjugate: boolean): WasmFunction => {
  const [source, target, factors, end, line, lineEnd, re, im, factorRe, factorIm] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const imaginary = multiplyAdd(get(im), get(factorRe), mul(get(re), get(factorIm)));
  const one = [
    ...loadComplex({ re, im }, source),
    ...storeComplex(target, {
      re: multiplySubtract(get(im), get(factorIm), mul(get(re), get(factorRe))),
      im: isConjugate ? negative(imaginary) : imaginary,
    }),
    ...increment(source, i32.constant(COMPLEX)),
    ...increment(target, i32.constant(COMPLEX)),
  ];
  const body = [
    ...set(factorRe, v128.loadSplat32(get(factors))),
    ...set(factorIm, v128.loadSplat32(get(factors), 4)),
    ...increment(factors, i32.constant(8)),
    ...set(lineEnd, i32.add(get(source), get(line))),
    ...repeatWhile(one, i32.isLess(get(source), get(lineEnd))),
  ];
  return {
    name,
    parameters: new Array(5).fill('i32'),
    locals: ['i32', 'v128', 'v128', 'v128', 'v128'],
    body: repeatWhile(body, i32.isLess(get(source), get(end))),
  };
};

/**
 * Transposes blocks of four by four: four consecutive numbers of a transform become the four lanes of the next one.
 * Parameters: source, target, end of the source, bytes per line (the transforms that run side by side), and bytes
 * between two targets.
 */
const transpose = (): WasmFunction => {
  const [source, target, end, line, targetStep, lineEnd, from, to] = [0, 1, 2, 3, 4, 5, 6, 7];
  const rows = [8, 9, 10, 11];
  const [low, high, lowOther, highOther] = [12, 13, 14, 15] as const;
  const bytes = (words: readonly number[]): readonly number[] =>
    words.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));
  const mix = (a: number, b: number, words: readonly number[]): Code => v128.shuffle(get(a), get(b), bytes(words));
  const exchange = (offset: number): Code => [
    ...set(from, get(source)),
    ...rows.flatMap((row) => [...set(row, v128.load(get(from), offset)), ...increment(from, get(line))]),
    ...set(low, mix(8, 9, [0, 4, 1, 5])),
    ...set(high, mix(8, 9, [2, 6, 3, 7])),
    ...set(lowOther, mix(10, 11, [0, 4, 1, 5])),
    ...set(highOther, mix(10, 11, [2, 6, 3, 7])),
    ...set(to, get(target)),
    ...[
      mix(low, lowOther, [0, 1, 4, 5]),
      mix(low, lowOther, [2, 3, 6, 7]),
      mix(high, highOther, [0, 1, 4, 5]),
      mix(high, highOther, [2, 3, 6, 7]),
    ].flatMap((transposed) => [...v128.store(get(to), transposed, offset), ...increment(to, get(line))]),
  ];
  const one = [
    ...exchange(0),
    ...exchange(16),
    ...increment(source, i32.constant(COMPLEX)),
    ...increment(target, i32.constant(COMPLEX)),
  ];
  const body = [
    ...set(lineEnd, i32.add(get(source), get(line))),
    ...repeatWhile(one, i32.isLess(get(source), get(lineEnd))),
    // Each round reads four lines.
    ...[0, 1, 2].flatMap(() => increment(source, get(line))),
    ...increment(target, i32.subtract(get(targetStep), get(line))),
  ];
  return {
    name: 'transpose',
    parameters: new Array(5).fill('i32'),
    locals: ['i32', 'i32', 'i32', ...new Array(8).fill('v128')],
    body: repeatWhile(body, i32.isLess(get(source), get(end))),
  };
};

export const elementKernels = (): readonly WasmFunction[] => [
  multiply('multiply', false),
  multiply('multiplyConjugate', true),
  transpose(),
];
