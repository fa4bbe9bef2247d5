import type { Features } from './features.ts';
import type { Request } from './request.ts';
import type { Vectors } from './vectors.ts';

/** The encoder vectors of a request: one per sentence, at most three, of the longest sentences. */
export type RequestVectors = readonly Float32Array[];

/** Encodes a request; undefined for Chinese, on which the encoder was not trained, and when a vector is unavailable. */
export const encodeRequest = async (
  text: string,
  encode: (text: string) => Promise<Float32Array | undefined>,
): Promise<RequestVectors | undefined> => {
  if (HAN.test(text)) return undefined;
  const vectors = await Promise.all(sentencesOf(text.slice(0, ENCODED_LIMIT)).map(encode));
  return vectors.every((vector) => vector !== undefined) ? vectors : undefined;
};

/** A request with several wishes usually has one per sentence; the longest sentences say most. */
const sentencesOf = (text: string): readonly string[] => {
  const all = text.split(/(?<=[.!?;])\s+|\n+/u).filter((part) => part.trim() !== '');
  return all.length < 2 ? [text] : all.toSorted((one, other) => other.length - one.length).slice(0, SENTENCES);
};

/** How likely a request has a single wish, by its number of words: 1 for a short request, 0 for a long one. */
export const brevity = (words: number): number => Math.min(1, Math.max(0, (LONG - words) / (LONG - SHORT)));

export type Similarity = Pick<Features, 'similarity' | 'sentence'>;

/** Encoder similarity of each tool to a request; undefined unless the request and all of the tools were encoded. */
export const similaritiesTo = (
  { vectors, words }: Pick<Request, 'vectors' | 'words'>,
  names: readonly string[],
  tools: Pick<Vectors, 'similarities'>,
): ReadonlyMap<string, Similarity> | undefined => {
  const near = vectors?.map((sentence) => tools.similarities(names, sentence)) ?? [];
  if (near.length === 0 || near.includes(undefined)) return undefined;
  // In a request with several wishes, the nearest sentence says less about the whole.
  const scale = brevity(words.length);
  return new Map(
    names.map((name) => {
      const sentence = Math.max(...near.map((similarities) => similarities?.get(name) ?? 0));
      return [name, { similarity: scale * sentence, sentence }];
    }),
  );
};

/** The tools nearest to a request as a whole and to each of its sentences; empty in catalogues too large to scan. */
export const nearestByEncoder = (
  { vectors = [] }: Pick<Request, 'vectors'>,
  tools: Pick<Vectors, 'size' | 'nearest'>,
  accept: (name: string) => boolean,
): readonly string[] => {
  if (vectors.length === 0 || tools.size > SCANNED) return [];
  // In a large catalogue each scan is expensive, so one with the sum of the sentence vectors stands for all of them.
  const each = vectors.length > 1 && tools.size <= FEW ? vectors : [];
  return [
    ...new Set([
      ...tools.nearest(sumOf(vectors), NEAREST, accept),
      ...each.flatMap((sentence) => tools.nearest(sentence, NEAREST / 2, accept)),
    ]),
  ];
};

const sumOf = (vectors: readonly Float32Array[]): Float32Array => {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  return sum;
};

const HAN = /\p{Script=Han}/u;
const ENCODED_LIMIT = 2000;
const SENTENCES = 3;
const SHORT = 25;
const LONG = 45;
const SCANNED = 5000;
const FEW = 1000;
const NEAREST = 16;
