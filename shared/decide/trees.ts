/**
 * A complete binary tree, level by level: the feature index and threshold of each inner node, then the values of the
 * leaves.
 */
export type Tree = readonly number[];

/** The sum of the values that the trees give a list of features. */
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

/** The number of inner nodes: each has two numbers, and there is one leaf more than inner nodes. */
export const stepsOf = (tree: Tree): number => (tree.length - 1) / 3;
