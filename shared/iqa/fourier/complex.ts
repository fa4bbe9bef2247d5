import { type Code, get, set, v128 } from '../wasm/assemble.ts';

/** Bytes of four complex numbers side by side: four real parts, then four imaginary ones. */
export const COMPLEX = 32;

/** The code that computes both parts of a complex number. */
export interface Complex {
  readonly re: Code;
  readonly im: Code;
}

export const loadComplex = (to: { readonly re: number; readonly im: number }, address: number): Code => [
  ...set(to.re, v128.load(get(address))),
  ...set(to.im, v128.load(get(address), 16)),
];

export const storeComplex = (address: number, { re, im }: Complex): Code => [
  ...v128.store(get(address), re),
  ...v128.store(get(address), im, 16),
];
