/** Cosine and sine of 2 pi k j / n. The product is reduced first: a rounded large angle would cost 1e-4 in a score. */
export function trigonometry(length: number): { readonly cos: Float64Array; readonly sin: Float64Array } {
  const angle = (index: number): number => (2 * Math.PI * index) / length;
  return {
    cos: Float64Array.from({ length }, (_, index) => Math.cos(angle(index))),
    sin: Float64Array.from({ length }, (_, index) => Math.sin(angle(index))),
  };
}

/** A row-major matrix whose entries are given by row and column. */
export function matrix(rows: number, columns: number, entry: (row: number, column: number) => number): Float32Array {
  const values = new Float32Array(rows * columns);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at++) values[at] = entry(row, column);
  }
  return values;
}

/** The matrix [[C, sS], [-sS, C]] that takes stacked real and imaginary parts forwards (s = 1) or back (s = -1). */
export function complexRotation(length: number, sign: 1 | -1): Float32Array {
  const { cos, sin } = trigonometry(length);
  const values = new Float32Array(4 * length * length);
  for (let row = 0; row < length; row++) {
    const upper = row * 2 * length;
    const lower = upper + 2 * length * length;
    for (let column = 0, index = 0; column < length; column++, index = (index + row) % length) {
      const c = cos[index] as number;
      const s = sign * (sin[index] as number);
      values[upper + column] = c;
      values[upper + length + column] = s;
      values[lower + column] = -s;
      values[lower + length + column] = c;
    }
  }
  return values;
}

/** How many frequencies 0..n/2 describe a real signal of n samples. */
export const halfCount = (length: number): number => Math.floor(length / 2) + 1;

/** [cos | -sin]: rows of a real picture to the real and imaginary parts of their non-negative frequencies. */
export function realForward(length: number): Float32Array {
  const { cos, sin } = trigonometry(length);
  const half = halfCount(length);
  return matrix(length, 2 * half, (sample, column) => {
    const index = (sample * (column % half)) % length;
    return column < half ? (cos[index] as number) : -(sin[index] as number);
  });
}

/** The way back from those frequencies, scaled; each but the first and a last of an even length stands for two. */
export function realBackward(length: number, scale: number): Float32Array {
  const { cos, sin } = trigonometry(length);
  const half = halfCount(length);
  const weight = halfWeight(length, scale);
  return matrix(2 * half, length, (row, sample) => {
    const frequency = row % half;
    const index = (sample * frequency) % length;
    return weight(frequency) * (row < half ? (cos[index] as number) : -(sin[index] as number));
  });
}

/** How often a frequency 0..n/2 stands for itself alone: the first, and a last of an even length. */
const isOwnMirror = (frequency: number, length: number): boolean => frequency === 0 || 2 * frequency === length;

/**
 * Cosines and sines of a transform of length n folded at its middle: [n/2 + 1, n/2 + 1].
 * Cosines see only the even part of a signal and give an even one, sines only the odd part: a quarter of the products.
 */
export function foldedTables(length: number, weight: (frequency: number) => number) {
  const { cos, sin } = trigonometry(length);
  const half = halfCount(length);
  const table = (wave: Float64Array, byColumn: boolean): Float32Array =>
    matrix(half, half, (row, column) => {
      const frequency = byColumn ? column : row;
      return weight(frequency) * (wave[(row * column) % length] as number);
    });
  return {
    /** To be multiplied from the left: frequencies along the columns of the table. */
    left: { cos: table(cos, true), sin: table(sin, true) },
    /** From the right: frequencies along its rows. */
    right: { cos: table(cos, false), sin: table(sin, false) },
  };
}

/** Weights for `P(k) + P(-k)`, which counts a frequency that is its own mirror twice. */
export const pairWeight =
  (length: number) =>
  (frequency: number): number =>
    isOwnMirror(frequency, length) ? 0.5 : 1;

/** Weights for a half spectrum, where each frequency but its own mirrors stands for two. */
export const halfWeight =
  (length: number, scale: number) =>
  (frequency: number): number =>
    isOwnMirror(frequency, length) ? scale : 2 * scale;
