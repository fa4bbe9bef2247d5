/** A tree of two steps: a feature by its place and where it is parted, the same for those below and above, and four values. */
export type Tree = readonly number[];

/** What trees say together of features that each have a place in a list. */
export const sumOfTrees = (trees: readonly Tree[], values: ArrayLike<number>): number => {
  let sum = 0;
  for (const tree of trees) {
    const step = isBelow(tree, 0, values) ? 1 : 2;
    const leaf = 2 * (step - 1) + (isBelow(tree, step, values) ? 0 : 1);
    sum += tree[FIRST_VALUE + leaf] ?? 0;
  }
  return sum;
};

const isBelow = (tree: Tree, step: number, values: ArrayLike<number>): boolean =>
  (values[tree[2 * step] ?? 0] ?? 0) <= (tree[2 * step + 1] ?? 0);

const FIRST_VALUE = 6;
