/**
 * A tree of as many steps on every way: for each step a feature by its place and where it is parted, level by level,
 * then the values of the leaves.
 */
export type Tree = readonly number[];

/** What trees say together of features that each have a place in a list. */
export const sumOfTrees = (trees: readonly Tree[], values: ArrayLike<number>): number => {
  let sum = 0;
  for (const tree of trees) {
    const steps = stepsOf(tree);
    let at = 0;
    while (at < steps) at = 2 * at + ((values[tree[2 * at] ?? 0] ?? 0) <= (tree[2 * at + 1] ?? 0) ? 1 : 2);
    sum += tree[steps + at] ?? 0;
  }
  return sum;
};

/** How many steps a tree has: two numbers each, and there is one leaf more than steps. */
export const stepsOf = (tree: Tree): number => (tree.length - 1) / 3;
