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
