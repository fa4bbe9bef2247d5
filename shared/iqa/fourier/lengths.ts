import { RADICES } from './radix-pass.ts';

/** The factors of a length for which there are passes, or undefined where another remains. */
export const factorsOf = (length: number): readonly number[] | undefined => {
  const factors: number[] = [];
  let left = length;
  for (const radix of RADICES) {
    for (; left % radix === 0; left /= radix) factors.push(radix);
  }
  return left === 1 ? factors : undefined;
};

/** The least length from here on that has only the factors 2, 3 and 5. */
export const nextSmooth = (least: number): number => {
  let length = least;
  while (length / factorOf(2, length) / factorOf(3, length) / factorOf(5, length) > 1) length++;
  return length;
};

/** The largest power of a prime that divides a number. */
const factorOf = (prime: number, value: number): number =>
  value % prime === 0 ? prime * factorOf(prime, value / prime) : 1;

/** Cosine and sine of 2 pi index / n, for any whole index. It is reduced first: a rounded large angle would cost 1e-4 in a score. */
export const circle = (length: number) => {
  const angle = (_: unknown, index: number): number => (2 * Math.PI * index) / length;
  const cosines = Float64Array.from({ length }, angle).map(Math.cos);
  const sines = Float64Array.from({ length }, angle).map(Math.sin);
  return {
    cos: (index: number): number => cosines[index % length] as number,
    sin: (index: number): number => sines[index % length] as number,
  };
};
