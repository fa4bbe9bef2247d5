import type { Kernels } from '../wasm/instance.ts';
import { COMPLEX } from './complex.ts';
import { circle, factorsOf, nextSmooth } from './lengths.ts';

/** Where things lie in the kernels' memory: given out one after the other. */
export interface Places {
  /** The start of so many bytes. */
  take(bytes: number): number;
  used(): number;
}

export const createPlaces = (): Places => {
  let used = 0;
  return {
    take(bytes) {
      const start = used;
      used += 16 * Math.ceil(bytes / 16);
      return start;
    },
    used: () => used,
  };
};

/**
 * Transforms lines of numbers, `batch` complex ones in four lanes each: X(k) = sum of x(j) e^(+2 pi i j k / n), without a
 * factor. Source and target are two pieces of memory, which are both written to; the one it answers with holds the result.
 */
export interface Transform {
  /** Writes its tables. */
  fill(memory: ArrayBuffer): void;
  run(kernels: Kernels, source: number, other: number): number;
}

/** Bytes that source and other must have: three lines more than there are places, for those who take four at a time. */
export const lineBytes = (length: number, batch: number): number => (length + 3) * batch * COMPLEX;

export const createTransform = (length: number, batch: number, places: Places): Transform =>
  factorsOf(length) ? direct(length, batch, places) : chirped(length, batch, places);

/** By a pass for each factor of the length. */
const direct = (length: number, batch: number, places: Places): Transform => {
  let [left, side] = [length, batch];
  const turns: { readonly at: number; readonly values: Float32Array }[] = [];
  const passes = (factorsOf(length) ?? []).map((radix) => {
    const parts = left / radix;
    const table = turnsOf(radix, parts);
    const at = places.take(table.byteLength);
    turns.push({ at, values: table });
    const pass = {
      name: `${parts === 1 ? 'last' : 'pass'}${radix}`,
      at,
      sourceStep: COMPLEX * side * parts,
      targetStep: COMPLEX * side,
    };
    [left, side] = [parts, side * radix];
    return pass;
  });
  return {
    fill(memory) {
      for (const { at, values } of turns) new Float32Array(memory, at, values.length).set(values);
    },
    run(kernels, source, other) {
      let [from, to] = [source, other];
      for (const { name, at, sourceStep, targetStep } of passes) {
        kernels.run(name, from, to, at, from + sourceStep, sourceStep, targetStep);
        [from, to] = [to, from];
      }
      return from;
    },
  };
};

/** e^(2 pi i p k / (radix parts)) for k = 1 .. radix - 1 of each p, complex after complex. */
const turnsOf = (radix: number, parts: number): Float32Array => {
  const { cos, sin } = circle(radix * parts);
  const turns = new Float32Array(2 * (radix - 1) * parts);
  for (let p = 0, at = 0; p < parts; p++) {
    for (let k = 1; k < radix; k++) {
      turns[at++] = cos(p * k);
      turns[at++] = sin(p * k);
    }
  }
  return turns;
};

/**
 * A length with a large prime factor, after Bluestein: 2jk = j^2 + k^2 - (k - j)^2 makes it a convolution with a chirp,
 * which transforms of a longer length without such factors compute.
 */
const chirped = (length: number, batch: number, places: Places): Transform => {
  const longer = nextSmooth(2 * length - 1);
  const inner = direct(longer, batch, places);
  const { cos, sin } = circle(2 * length);
  const squares = Array.from({ length }, (_, j) => (j * j) % (2 * length));
  const chirp = Float32Array.from(squares.flatMap((square) => [cos(square), sin(square)]));
  const mirrored = chirp.map((value, at) => (at % 2 === 0 ? value : -value));
  const response = responseOf(squares, longer);
  const at = {
    chirp: places.take(chirp.byteLength),
    mirrored: places.take(mirrored.byteLength),
    response: places.take(response.byteLength),
    one: places.take(lineBytes(longer, batch)),
    other: places.take(lineBytes(longer, batch)),
  };
  const line = batch * COMPLEX;
  return {
    fill(memory) {
      inner.fill(memory);
      new Float32Array(memory, at.chirp, chirp.length).set(chirp);
      new Float32Array(memory, at.mirrored, mirrored.length).set(mirrored);
      new Float32Array(memory, at.response, response.length).set(response);
    },
    run(kernels, source) {
      kernels.run('multiply', source, at.one, at.chirp, source + length * line, line);
      new Uint8Array(kernels.reserve(0), at.one + length * line, (longer - length) * line).fill(0);
      const spectrum = inner.run(kernels, at.one, at.other);
      kernels.run('multiplyConjugate', spectrum, spectrum, at.response, spectrum + longer * line, line);
      const convolved = inner.run(kernels, spectrum, spectrum === at.one ? at.other : at.one);
      kernels.run('multiplyConjugate', convolved, source, at.mirrored, convolved + length * line, line);
      return source;
    },
  };
};

/** The transform of the chirp that is convolved with, over the length of the convolution, in float64 until the end. */
const responseOf = (squares: readonly number[], longer: number): Float32Array => {
  const { length } = squares;
  const chirp = circle(2 * length);
  const { cos } = circle(longer);
  const response = new Float32Array(2 * longer);
  for (let k = 0; k < longer; k++) {
    let [re, im] = [chirp.cos(0), 0];
    // The chirp is even: places j and -j meet with twice the cosine.
    for (let j = 1; j < length; j++) {
      const wave = 2 * cos(j * k);
      re += wave * chirp.cos(squares[j] as number);
      im -= wave * chirp.sin(squares[j] as number);
    }
    response[2 * k] = re / longer;
    response[2 * k + 1] = im / longer;
  }
  return response;
};
