import { generator, shuffle } from './fit/random.ts';
/** Vector computations of `build-words.ts`: principal directions, and fitting word vectors to sentences. */
export type Vector = Float64Array;

const ROUNDS = 12;
const BATCH = 1024;
const RATE = 0.02;
/** Dropout: the share of a sentence's words that a round skips, so that each word learns to represent the whole. */
const DROPPED = 0.3;
const HELD = 1e-3;
const LONGEST = 24;

/** Fits word vectors so that their sum over a sentence points to its target; a penalty keeps each near its `start`. */
export const fitVectors = (
  start: readonly Vector[],
  sentences: readonly (readonly number[])[],
  targets: readonly Vector[],
): readonly Vector[] => {
  const vectors = start.map((vector) => vector.slice());
  const means = start.map((vector) => new Float64Array(vector.length));
  const squares = start.map((vector) => new Float64Array(vector.length));
  const random = generator(1);
  const usable = sentences.flatMap((words, at) => (words.length < 2 ? [] : [at]));
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(usable, random);
    for (let from = 0; from < usable.length; from += BATCH) {
      const gradients = new Map<number, Vector>();
      for (const at of usable.slice(from, from + BATCH)) {
        const words = (sentences[at] ?? []).slice(0, LONGEST).filter(() => random() >= DROPPED);
        addGradient(words, targets[at] ?? new Float64Array(0), vectors, gradients);
      }
      for (const [word, gradient] of gradients) {
        const [vector, origin, mean, square] = [vectors[word], start[word], means[word], squares[word]];
        if (vector && origin && mean && square) step(vector, origin, gradient, mean, square, RATE * 0.8 ** round);
      }
    }
  }
  return vectors;
};

/** Adds the gradient of the negative cosine between the sum of the words and the target. */
const addGradient = (
  words: readonly number[],
  target: Vector,
  vectors: readonly Vector[],
  gradients: Map<number, Vector>,
): void => {
  const sum = new Float64Array(target.length);
  for (const word of words) for (const [at, value] of (vectors[word] ?? []).entries()) sum[at] = (sum[at] ?? 0) + value;
  const length = Math.max(Math.sqrt(dot(sum, sum)), 0.3);
  const near = dot(sum, target) / length;
  for (const word of words) {
    const gradient = gradients.get(word) ?? new Float64Array(target.length);
    for (let at = 0; at < target.length; at++) {
      const slope = ((target[at] ?? 0) - ((sum[at] ?? 0) / length) * near) / length;
      gradient[at] = (gradient[at] ?? 0) - slope;
    }
    gradients.set(word, gradient);
  }
};

const step = (vector: Vector, origin: Vector, gradient: Vector, mean: Vector, square: Vector, rate: number): void => {
  for (let at = 0; at < vector.length; at++) {
    const slope = (gradient[at] ?? 0) + HELD * ((vector[at] ?? 0) - (origin[at] ?? 0));
    mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
    square[at] = 0.95 * (square[at] ?? 0) + 0.05 * slope * slope;
    vector[at] = (vector[at] ?? 0) - (rate * (mean[at] ?? 0)) / (Math.sqrt(square[at] ?? 0) + 1e-3);
  }
};

/** The first principal directions, by power iteration with deflation on the covariance. */
export const directions = (vectors: readonly Vector[], count: number): Vector[] => {
  const size = vectors[0]?.length ?? 0;
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const vector of vectors)
    for (let row = 0; row < size; row++) {
      const line = covariance[row];
      const value = vector[row] ?? 0;
      if (line)
        for (let column = 0; column < size; column++)
          line[column] = (line[column] ?? 0) + value * (vector[column] ?? 0);
    }
  return Array.from({ length: count }, () => {
    let direction = normalised(Float64Array.from({ length: size }, (_, at) => 1 + at / size));
    for (let round = 0; round < 200; round++) {
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

export const dot = (one: Vector, other: Vector): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};

export const normalised = (vector: Vector): Vector => {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
};
