/** `; did you mean X?` when a known name is close to the given one, else empty. */
export const suggest = (given: string, known: Iterable<string>): string => {
  const near = nearest(given, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
};

/** The known name with the fewest edits, if they are few enough for a typo. */
const nearest = (given: string, known: Iterable<string>): string | undefined => {
  const wanted = given.toLowerCase().slice(0, 64);
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) >= fewest) continue;
    const edits = editDistance(wanted, name.toLowerCase(), fewest);
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
};

/** Edits between two words, where two swapped letters count as one (optimal string alignment), abandoned at the limit. */
const editDistance = (a: string, b: string, limit: number): number => {
  let earlier: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (earlier[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    // A swap reaches over a row, so both must be past the limit.
    if (Math.min(...next, ...row) >= limit) return limit;
    [earlier, row] = [row, next];
  }
  return row[b.length] ?? limit;
};
