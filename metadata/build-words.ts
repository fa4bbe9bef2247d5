/**
 * Builds `words.json`: the frequency order, vectors and nearest neighbours of English words. The vectors are fitted so
 * that their sum over a sentence points in the direction of a sentence encoder's vector, so a table of words does most
 * of what the encoder does, without the encoder.
 *
 * Sources: the order of words of GloVe 6B (Pennington, Socher, Manning 2014; PDDL 1.0), glosses and examples of
 * WordNet 3.1 (Princeton University; WordNet licence), descriptions of tools and requests without any labels, and
 * the Universal Sentence Encoder Lite (Cer and others 2018; Apache-2.0) as @energetic-ai/embeddings runs it.
 *
 *   node metadata/build-words.ts <folder>
 *
 * The folder has words.json and sentences.json (lists of texts, common words first), and words.f32 and
 * sentences.f32, the encoder's 512 numbers for each.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { termOf, termsOf } from '../shared/search/text.ts';
import { directions, dot, fitVectors, normalised, type Vector } from './fit-words.ts';

const WORDS = 20_000;
const ENCODED = 512;
const DIMENSIONS = 64;
// The first principal directions of such vectors reflect how a text is written, not what it means.
const COMMON_DIRECTIONS = 2;
const NEIGHBOURS = 8;
const NEAR = 0.5;
const LEVELS = 7;
/** Vectors of common words are shrunk, as they occur in any text: by half at this rank. */
const COMMON = 600;

const build = (folder: string): void => {
  const list = (name: string): string[] => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const vectors = (name: string): Vector[] => rows(readFileSync(join(folder, `${name}.f32`)));
  const terms = readTerms(list('words').slice(0, WORDS), vectors('words'));
  const words = centred([...terms.values()].map(normalised));
  const sentences = centred(vectors('sentences'));
  const axes = directions([...sentences, ...words], COMMON_DIRECTIONS + DIMENSIONS).slice(COMMON_DIRECTIONS);
  const numbers = new Map([...terms.keys()].map((term, number) => [term, number]));
  const fitted = fitVectors(
    project(words, axes).map((vector, rank) => normalised(vector).map((value) => (value * rank) / (rank + COMMON))),
    list('sentences').map((text) => termsOf(text).flatMap((term) => numbers.get(term) ?? [])),
    project(sentences, axes).map(normalised),
  );
  writeFileSync(new URL('words.json', import.meta.url), `${JSON.stringify(packed([...terms.keys()], fitted))}\n`);
};

const packed = (terms: readonly string[], vectors: readonly Vector[]) => {
  const scales = vectors.map((vector) => Math.max(...vector.map(Math.abs)) / LEVELS || 1e-6);
  const largest = Math.max(...scales);
  const levels = vectors.flatMap((vector, at) =>
    Array.from(vector, (value) => Math.round(value / (scales[at] ?? 1)) & 15),
  );
  const units = vectors.map(normalised);
  return {
    source: 'fitted to the Universal Sentence Encoder Lite (Apache-2.0) on WordNet glosses; made by build-words.ts',
    dimensions: DIMENSIONS,
    largest,
    terms: terms.join(' '),
    vectors: base64(Uint8Array.from({ length: levels.length / 2 }, (_, at) => pair(levels, at))),
    scales: base64(Uint8Array.from(scales, (scale) => Math.max(1, Math.round((scale / largest) * 255)))),
    neighbours: base64(packNeighbours(units.map((_, at) => nearest(units, at)))),
  };
};

const pair = (levels: readonly number[], at: number): number =>
  ((levels[at * 2] ?? 0) << 4) | (levels[at * 2 + 1] ?? 0);

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const rows = (bytes: Buffer): Vector[] => {
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return Array.from({ length: values.length / ENCODED }, (_, at) =>
    Float64Array.from(values.subarray(at * ENCODED, (at + 1) * ENCODED)),
  );
};

/** Stem -> vector, ordered by the frequency of the stem's most common word. */
const readTerms = (words: readonly string[], vectors: readonly Vector[]): Map<string, Vector> => {
  const terms = new Map<string, Vector>();
  const ranks = new Map<string, number>();
  for (const [rank, word] of words.entries()) {
    const term = /^[a-z][a-z0-9]*$/.test(word) ? termOf(word) : '';
    if (term === '') continue;
    const known = terms.get(term) ?? new Float64Array(ENCODED);
    const first = ranks.get(term) ?? rank;
    const share = first === rank ? 1 : first / (rank + 1);
    for (let at = 0; at < ENCODED; at++) known[at] = (known[at] ?? 0) + share * (vectors[rank]?.[at] ?? 0);
    ranks.set(term, first);
    terms.set(term, known);
  }
  return terms;
};

const centred = (vectors: readonly Vector[]): Vector[] => {
  const mean = new Float64Array(ENCODED);
  for (const vector of vectors)
    for (const [at, value] of vector.entries()) mean[at] = (mean[at] ?? 0) + value / vectors.length;
  return vectors.map((vector) => vector.map((value, at) => value - (mean[at] ?? 0)));
};

const project = (vectors: readonly Vector[], axes: readonly Vector[]): Vector[] =>
  vectors.map((vector) => Float64Array.from(axes, (axis) => dot(vector, axis)));

const nearest = (vectors: readonly Vector[], at: number): { term: number; similarity: number }[] => {
  const own = vectors[at] ?? new Float64Array(0);
  return vectors
    .map((vector, term) => ({ term, similarity: term === at ? 0 : dot(own, vector) }))
    .filter(({ similarity }) => similarity >= NEAR)
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, NEIGHBOURS);
};

/** Three bytes per neighbour: its number (big-endian) and its similarity in 1/255; zeros if there is none. */
const packNeighbours = (lists: readonly { term: number; similarity: number }[][]): Uint8Array =>
  Uint8Array.from(
    lists.flatMap((list) =>
      Array.from({ length: NEIGHBOURS }, (_, at) => list[at] ?? { term: 0, similarity: 0 }).flatMap(
        ({ term, similarity }) => [term >> 8, term & 255, Math.round(similarity * 255)],
      ),
    ),
  );

build(process.argv[2] ?? '');
