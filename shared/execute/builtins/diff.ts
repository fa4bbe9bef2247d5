export interface Edit {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Beyond so many edits the shortest way is not looked for: time and memory grow with their square. */
const MOST_EDITS = 2000;

/** The shortest edit from one list to another: Myers' greedy algorithm (Algorithmica 1, 1986). */
export const diff = (
  before: readonly string[],
  after: readonly string[],
): { readonly edits: readonly Edit[]; readonly isMinimal: boolean } => {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const trace = search(a, b);
  const middle = trace ? walkBack(a, b, trace) : [...a.map(removed), ...b.map(added)];
  const edits = [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)];
  return { edits, isMinimal: trace !== undefined };
};

const same = (text: string): Edit => ({ kind: 'same', text });
const added = (text: string): Edit => ({ kind: 'added', text });
const removed = (text: string): Edit => ({ kind: 'removed', text });

/** How far each diagonal reaches after 0, 1, 2... edits; undefined when too many are needed. */
const search = (a: readonly string[], b: readonly string[]): readonly Int32Array[] | undefined => {
  const limit = Math.min(a.length + b.length, MOST_EDITS);
  const reach = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = middle + diagonal;
      let x = goesDown(reach, at, diagonal, edits) ? (reach[at + 1] ?? 0) : (reach[at - 1] ?? 0) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reach[at] = x;
      if (x >= a.length && x - diagonal >= b.length) {
        trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
        return trace;
      }
    }
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
  }
  return undefined;
};

const goesDown = (reach: Int32Array, at: number, diagonal: number, edits: number): boolean =>
  diagonal === -edits || (diagonal !== edits && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0));

const walkBack = (a: readonly string[], b: readonly string[], trace: readonly Int32Array[]): readonly Edit[] => {
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let left = trace.length - 1; left > 0; left--) {
    // The reach before the last edit; its middle is where its diagonal 0 lies.
    const before = trace[left - 1] ?? new Int32Array();
    const middle = left;
    const diagonal = x - y;
    const down = goesDown(before, middle + diagonal, diagonal, left);
    const previous = down ? diagonal + 1 : diagonal - 1;
    const fromX = before[middle + previous] ?? 0;
    const fromY = fromX - previous;
    while (x > fromX && y > fromY && x > 0 && y > 0 && a[x - 1] === b[y - 1]) {
      edits.push(same(a[--x] ?? ''));
      y--;
    }
    if (down) edits.push(added(b[--y] ?? ''));
    else edits.push(removed(a[--x] ?? ''));
  }
  while (x > 0) edits.push(same(a[--x] ?? ''));
  return edits.reverse();
};
