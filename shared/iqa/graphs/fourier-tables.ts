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
  return matrix(2 * length, 2 * length, (row, column) => {
    const index = ((row % length) * (column % length)) % length;
    if (row < length === column < length) return cos[index] as number;
    return (row < length ? sign : -sign) * (sin[index] as number);
  });
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
  return matrix(2 * half, length, (row, sample) => {
    const frequency = row % half;
    const weight = frequency === 0 || 2 * frequency === length ? scale : 2 * scale;
    const index = (sample * frequency) % length;
    return weight * (row < half ? (cos[index] as number) : -(sin[index] as number));
  });
}
