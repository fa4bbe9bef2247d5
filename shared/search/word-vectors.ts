import data from '../../metadata/words.json' with { type: 'json' };
import { lazily } from '../kernel/lazily.ts';

/** What is known about English words independently of the catalogue: how common they are, and which are similar. */
export interface Words {
  readonly dimensions: number;
  /** The vocabulary number of a term, the most common first; undefined for an unknown term. */
  number(term: string): number | undefined;
  /** The weight of a term: 1 for a rare or unknown one, down to 0.07 for the most common. */
  worth(term: string): number;
  /** The cosine, -1 to 1; 0 if a term is unknown. */
  similarity(one: string, other: string): number;
  /** The same by vocabulary number; 0 when either is negative, 1 for the same number. */
  between(one: number, other: number): number;
  /** The nearest terms, nearest first. */
  neighbours(term: string): readonly Neighbour[];
  /** The weighted sum of the terms' vectors, as a unit vector; all zeros if no term is known. */
  direction(terms: Iterable<string>, weigh?: (term: string) => number): Float32Array;
}

export interface Neighbour {
  readonly term: string;
  readonly similarity: number;
}

const NEIGHBOURS = 8;
const NONE: readonly Neighbour[] = [];

/** Reads the table once, on first use. */
export const knownWords = lazily((): Words => readWords());

/** The vocabulary numbers of terms, -1 for unknown ones; memoised by list, for lists that last, such as a name's. */
export const numbersOf = (terms: readonly string[]): Int32Array => {
  const known = numberLists.get(terms);
  if (known !== undefined) return known;
  const numbers = Int32Array.from(terms, (term) => knownWords().number(term) ?? -1);
  numberLists.set(terms, numbers);
  return numbers;
};
const numberLists = new WeakMap<readonly string[], Int32Array>();

const readWords = (): Words => {
  const { dimensions } = data;
  const terms = data.terms.split(' ');
  const numbers = new Map(terms.map((term, number) => [term, number]));
  const vectors = unpacked4(decodeBase64(data.vectors));
  const scales = decodeBase64(data.scales);
  const lengths = lengthsOf(vectors, dimensions);
  const near = decodeBase64(data.neighbours);

  // The table is small and requests repeat their words, so each list is unpacked once.
  const unpacked = new Map<number, readonly Neighbour[]>();
  const neighbours = (term: string): readonly Neighbour[] => {
    const number = numbers.get(term);
    if (number === undefined) return NONE;
    const known = unpacked.get(number);
    if (known !== undefined) return known;
    const list: Neighbour[] = [];
    for (let at = number * NEIGHBOURS * 3; at < (number + 1) * NEIGHBOURS * 3 && near[at + 2] !== 0; at += 3) {
      const other = terms[((near[at] ?? 0) << 8) | (near[at + 1] ?? 0)] ?? '';
      list.push({ term: other, similarity: (near[at + 2] ?? 0) / 255 });
    }
    unpacked.set(number, list);
    return list;
  };

  const between = (first: number, second: number): number => {
    if (first < 0 || second < 0) return 0;
    if (first === second) return 1;
    let sum = 0;
    const [start, shift] = [first * dimensions, (second - first) * dimensions];
    for (let at = start; at < start + dimensions; at++)
      sum += (vectors[at] as number) * (vectors[at + shift] as number);
    return sum / ((lengths[first] as number) * (lengths[second] as number));
  };

  const similarity = (one: string, other: string): number =>
    one === other ? 1 : between(numbers.get(one) ?? -1, numbers.get(other) ?? -1);

  const direction = (list: Iterable<string>, weigh?: (term: string) => number): Float32Array => {
    const sum = new Float32Array(dimensions);
    for (const term of list) {
      const number = numbers.get(term);
      if (number === undefined) continue;
      const weight = (weigh?.(term) ?? 1) * (scales[number] ?? 0);
      const start = number * dimensions;
      for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + weight * (vectors[start + at] ?? 0);
    }
    let squares = 0;
    for (const value of sum) squares += value * value;
    const length = Math.sqrt(squares) || 1;
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] as number) / length;
    return sum;
  };

  const worths = new Float64Array(terms.length);
  const worth = (term: string): number => {
    const number = numbers.get(term);
    if (number === undefined) return 1;
    if (worths[number] === 0) worths[number] = Math.min(1, Math.log(2 + number * WORDS_PER_TERM) / 10);
    return worths[number] as number;
  };

  return { dimensions, number: (term) => numbers.get(term), worth, similarity, between, neighbours, direction };
};

// Plain loops: the table has a million bytes, and the first decision waits for them.
const decodeBase64 = (base64: string): Uint8Array => {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
};

/** Unpacks signed 4-bit numbers, two per byte. */
const unpacked4 = (bytes: Uint8Array): Int8Array => {
  const values = new Int8Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    values[at * 2] = (byte << 24) >> 28;
    values[at * 2 + 1] = (byte << 28) >> 28;
  }
  return values;
};

const lengthsOf = (vectors: Int8Array, dimensions: number): Float32Array =>
  Float32Array.from({ length: vectors.length / dimensions }, (_, number) => {
    let sum = 0;
    for (let at = number * dimensions; at < (number + 1) * dimensions; at++) sum += (vectors[at] ?? 0) ** 2;
    return Math.sqrt(sum) || 1;
  });

const WORDS_PER_TERM = 1.6;
