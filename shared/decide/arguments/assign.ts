/**
 * Assigns each row at most one column so that the sum of scores is highest; a score of 0 or less is never used.
 * Returns the column of each row, or -1. Hungarian algorithm (Kuhn and Munkres), O(n^2 m) for n rows.
 */
export const assign = (scores: readonly (readonly number[])[]): readonly number[] => {
  const rows = scores.length;
  const real = scores[0]?.length ?? 0;
  // Each row also has a column that means "nothing", so that no row is forced into a bad match.
  const columns = real + rows;
  const cost = (row: number, column: number): number =>
    column < real ? -Math.max(scores[row]?.[column] ?? 0, 0) : column - real === row ? 0 : FORBIDDEN;
  const owner = new Int32Array(columns + 1);
  const state = { rows: new Float64Array(rows + 1), columns: new Float64Array(columns + 1), owner };
  for (let row = 1; row <= rows; row++) augment(row, cost, state);
  const result = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= real; column++) {
    const row = owner[column] ?? 0;
    if (row > 0 && (scores[row - 1]?.[column - 1] ?? 0) > 0) result[row - 1] = column - 1;
  }
  return result;
};

const FORBIDDEN = 1e9;

interface State {
  readonly rows: Float64Array;
  readonly columns: Float64Array;
  /** The row of each column, 0 for none; column 0 holds the row that is being placed. */
  readonly owner: Int32Array;
}

const augment = (row: number, cost: (row: number, column: number) => number, state: State): void => {
  const { owner } = state;
  const distance = new Float64Array(owner.length).fill(Number.POSITIVE_INFINITY);
  const previous = new Int32Array(owner.length);
  const done = new Uint8Array(owner.length);
  owner[0] = row;
  let column = 0;
  do {
    done[column] = 1;
    const nearest = relax(column, cost, state, distance, previous, done);
    shift(distance[nearest] ?? 0, state, distance, done);
    column = nearest;
  } while ((owner[column] ?? 0) !== 0);
  while (column !== 0) {
    const back = previous[column] ?? 0;
    owner[column] = owner[back] ?? 0;
    column = back;
  }
};

/** Updates the distances by way of a column and returns the nearest open one. */
const relax = (
  column: number,
  cost: (row: number, column: number) => number,
  { rows, columns, owner }: State,
  distance: Float64Array,
  previous: Int32Array,
  done: Uint8Array,
): number => {
  const from = owner[column] ?? 0;
  let nearest = 0;
  for (let next = 1; next < owner.length; next++) {
    if (done[next]) continue;
    const length = cost(from - 1, next - 1) - (rows[from] ?? 0) - (columns[next] ?? 0);
    if (length < (distance[next] ?? 0)) {
      distance[next] = length;
      previous[next] = column;
    }
    if (nearest === 0 || (distance[next] ?? 0) < (distance[nearest] ?? 0)) nearest = next;
  }
  return nearest;
};

const shift = (by: number, { rows, columns, owner }: State, distance: Float64Array, done: Uint8Array): void => {
  for (let each = 0; each < owner.length; each++) {
    if (done[each]) {
      const held = owner[each] ?? 0;
      rows[held] = (rows[held] ?? 0) + by;
      columns[each] = (columns[each] ?? 0) - by;
    } else distance[each] = (distance[each] ?? 0) - by;
  }
};
