/**
 * Gives each row at most one column so that the sum of scores is highest; a score of 0 or less is never taken.
 * Returns a column for each row, or -1. Shortest augmenting paths (Kuhn and Munkres), n rows in O(n^2 m).
 */
export const assign = (scores: readonly (readonly number[])[]): readonly number[] => {
  const rows = scores.length;
  const real = scores[0]?.length ?? 0;
  // A column of its own for each row means "nothing", so that nobody is forced into a bad match.
  const columns = real + rows;
  const cost = (row: number, column: number): number =>
    column < real ? -Math.max(scores[row]?.[column] ?? 0, 0) : column - real === row ? 0 : FORBIDDEN;
  const rowPotential = new Float64Array(rows + 1);
  const columnPotential = new Float64Array(columns + 1);
  const owner = new Int32Array(columns + 1);
  for (let row = 1; row <= rows; row++) augment(row, columns, cost, rowPotential, columnPotential, owner);
  const result = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= real; column++) {
    const row = owner[column] ?? 0;
    if (row > 0 && (scores[row - 1]?.[column - 1] ?? 0) > 0) result[row - 1] = column - 1;
  }
  return result;
};

const FORBIDDEN = 1e9;

const augment = (
  row: number,
  columns: number,
  cost: (row: number, column: number) => number,
  rowPotential: Float64Array,
  columnPotential: Float64Array,
  owner: Int32Array,
): void => {
  const distance = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY);
  const previous = new Int32Array(columns + 1);
  const done = new Uint8Array(columns + 1);
  owner[0] = row;
  let column = 0;
  do {
    done[column] = 1;
    const from = owner[column] ?? 0;
    let shortest = Number.POSITIVE_INFINITY;
    let nearest = 0;
    for (let next = 1; next <= columns; next++) {
      if (done[next]) continue;
      const length = cost(from - 1, next - 1) - (rowPotential[from] ?? 0) - (columnPotential[next] ?? 0);
      if (length < (distance[next] ?? 0)) {
        distance[next] = length;
        previous[next] = column;
      }
      if ((distance[next] ?? 0) < shortest) {
        shortest = distance[next] ?? 0;
        nearest = next;
      }
    }
    for (let each = 0; each <= columns; each++) {
      if (done[each]) {
        const held = owner[each] ?? 0;
        rowPotential[held] = (rowPotential[held] ?? 0) + shortest;
        columnPotential[each] = (columnPotential[each] ?? 0) - shortest;
      } else distance[each] = (distance[each] ?? 0) - shortest;
    }
    column = nearest;
  } while ((owner[column] ?? 0) !== 0);
  while (column !== 0) {
    const back = previous[column] ?? 0;
    owner[column] = owner[back] ?? 0;
    column = back;
  }
};
