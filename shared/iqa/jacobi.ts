/** Eigenvalues and eigenvectors of a symmetric matrix, by cyclic Jacobi rotations. */
export function eigen(symmetric: Float64Array, size: number) {
  const a = Float64Array.from(symmetric);
  const vectors = new Float64Array(size * size);
  for (let index = 0; index < size; index++) vectors[index * size + index] = 1;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let p = 0; p < size - 1; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, vectors, size, p, q);
    }
  }
  return { values: Float64Array.from({ length: size }, (_, index) => a[index * size + index] as number), vectors };
}

// Six sweeps converge a 9 x 9 matrix to rounding; the others cost next to nothing.
const sweeps = 12;

function rotate(a: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const off = a[p * size + q] as number;
  if (off === 0) return;
  const theta = ((a[q * size + q] as number) - (a[p * size + p] as number)) / (2 * off);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const turn = (values: Float64Array, at: number, other: number): void => {
    const [first, second] = [values[at] as number, values[other] as number];
    values[at] = cosine * first - sine * second;
    values[other] = sine * first + cosine * second;
  };
  for (let k = 0; k < size; k++) turn(a, k * size + p, k * size + q);
  for (let k = 0; k < size; k++) turn(a, p * size + k, q * size + k);
  for (let k = 0; k < size; k++) turn(vectors, p * size + k, q * size + k);
}
