import type { Kernels } from '../wasm/instance.ts';
import { COMPLEX } from './complex.ts';
import { factorise, nextSmooth, rootsOfUnity } from './lengths.ts';

/** Allocates consecutive pieces of the kernels' memory. */
export interface Arena {
  /** The address of this many bytes, aligned to 16. */
  allocate(bytes: number): number;
  used(): number;
}

export const createArena = (): Arena => {
  let used = 0;
  return {
    allocate(bytes) {
      const start = used;
      used += 16 * Math.ceil(bytes / 16);
      return start;
    },
    used: () => used,
  };
};

/**
 * Discrete Fourier transform X(k) = sum of x(j) e^(+2 pi i j k / n), without a scale factor, of `batch` times four
 * sequences side by side.
 */
export interface Transform {
  /** Writes the tables of factors. */
  fill(memory: ArrayBuffer): void;
  run(kernels: Kernels, source: number, other: number): number;
}

/** Bytes of each buffer: three lines more than the length, because `transpose` reads four at a time. */
export const lineBytes = (length: number, batch: number): number => (length + 3) * batch * COMPLEX;

export const createTransform = (length: number, batch: number, arena: Arena): Transform =>
  factorise(length) ? mixedRadix(length, batch, arena) : bluestein(length, batch, arena);

/** Mixed radix: one Stockham pass for each factor of the length. */
const mixedRadix = (length: number, batch: number, arena: Arena): Transform => {
  let [left, side] = [length, batch];
  const twiddles: { readonly at: number; readonly values: Float32Array }[] = [];
  const passes = (factorise(length) ?? []).map((radix) => {
    const parts = left / radix;
    const table = twiddleFactors(radix, parts);
    const at = arena.allocate(table.byteLength);
    twiddles.push({ at, values: table });
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
      for (const { at, values } of twiddles) new Float32Array(memory, at, values.length).set(values);
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

/** e^(2 pi i p k / (radix parts)) for k = 1 .. radix - 1 of each p. */
const twiddleFactors = (radix: number, parts: number): Float32Array => {
  const { cos, sin } = rootsOfUnity(radix * parts);
  const twiddles = new Float32Array(2 * (radix - 1) * parts);
  for (let p = 0, at = 0; p < parts; p++) {
    for (let k = 1; k < radix; k++) {
      twiddles[at++] = cos(p * k);
      twiddles[at++] = sin(p * k);
    }
  }
  return twiddles;
};

/**
 * Bluestein's algorithm for a length with a large prime factor: 2jk = j^2 + k^2 - (k - j)^2 makes it a convolution with a
 * chirp, computed by transforms of a longer length without such factors.
 */
const bluestein = (length: number, batch: number, arena: Arena): Transform => {
  const longer = nextSmooth(2 * length - 1);
  const inner = mixedRadix(longer, batch, arena);
  const { cos, sin } = rootsOfUnity(2 * length);
  const squares = Array.from({ length }, (_, j) => (j * j) % (2 * length));
  const chirp = Float32Array.from(squares.flatMap((square) => [cos(square), sin(square)]));
  const mirrored = chirp.map((value, at) => (at % 2 === 0 ? value : -value));
  const response = chirpResponse(squares, longer);
  const at = {
    chirp: arena.allocate(chirp.byteLength),
    mirrored: arena.allocate(mirrored.byteLength),
    response: arena.allocate(response.byteLength),
    one: arena.allocate(lineBytes(longer, batch)),
    other: arena.allocate(lineBytes(longer, batch)),
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

/** The transform of the chirp over the length of the convolution, in float64 until the end. */
const chirpResponse = (squares: readonly number[], longer: number): Float32Array => {
  const { length } = squares;
  const chirp = rootsOfUnity(2 * length);
  const { cos } = rootsOfUnity(longer);
  const response = new Float32Array(2 * longer);
  for (let k = 0; k < longer; k++) {
    let [re, im] = [chirp.cos(0), 0];
    // The chirp is even, so j and -j add up to twice the cosine.
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
