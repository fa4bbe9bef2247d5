import { RADICES } from './radix-pass.ts';

/** The factors of a length, or undefined if one of them has no pass. */
export const factorise = (length: number): readonly number[] | undefined => {
  const factors: number[] = [];
  let left = length;
  for (const radix of RADICES) {
    for (; left % radix === 0; left /= radix) factors.push(radix);
  }
  return left === 1 ? factors : undefined;
};

/** The smallest length of at least this that has only the factors 2, 3 and 5. */
export const nextSmooth = (least: number): number => {
  let length = least;
  while (length / powerDividing(2, length) / powerDividing(3, length) / powerDividing(5, length) > 1) length++;
  return length;
};

/** The largest power of a prime that divides a value. */
const powerDividing = (prime: number, value: number): number =>
  value % prime === 0 ? prime * powerDividing(prime, value / prime) : 1;

/**
 * Cosine and sine of 2 pi index / length for any index from 0. The index is reduced first: rounding a large angle would
 * change scores by 1e-4.
 */
export const rootsOfUnity = (length: number) => {
  const angle = (_: unknown, index: number): number => (2 * Math.PI * index) / length;
  const cosines = Float64Array.from({ length }, angle).map(Math.cos);
  const sines = Float64Array.from({ length }, angle).map(Math.sin);
  return {
    cos: (index: number): number => cosines[index % length] as number,
    sin: (index: number): number => sines[index % length] as number,
  };
};
