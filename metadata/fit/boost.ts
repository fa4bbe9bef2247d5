import { sumOfTrees, type Tree } from '../../shared/decide/trees.ts';
import type { Judged } from './logistic.ts';
import { generator, shuffle } from './random.ts';

/** Gradient-boosted trees, each fitted to the residuals of those before it; `start` is the initial sum. */
export interface Boosted {
  readonly features: readonly string[];
  readonly trees: readonly Tree[];
  readonly start: number;
}

/** Fits trees whose sum is the log odds of being right; deterministic for the same examples. */
export const fitTrees = (judged: readonly Judged[]): Boosted => {
  const features = featuresOf(judged);
  const rows = judged.map((each) => {
    const values = new Map(each.features);
    return Float64Array.from(features, (name) => values.get(name) ?? 0);
  });
  const cuts = features.map((_, at) => candidateCuts(rows.map((row) => row[at] ?? 0)));
  const bins = rows.map((row) =>
    Uint8Array.from(row, (value, at) => (cuts[at] ?? []).filter((cut) => value > cut).length),
  );
  const total = judged.reduce((sum, { weight }) => sum + weight, 0);
  const right = judged.reduce((sum, { right, weight }) => sum + (right ? weight : 0), 0);
  const start = Math.log(right / (total - right));
  const sums = new Float64Array(judged.length).fill(start);
  const state = { bins, cuts, slopes: new Float64Array(judged.length), bends: new Float64Array(judged.length) };
  const random = generator(SEED);
  const trees: Tree[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { right, weight }] of judged.entries()) {
      const chance = 1 / (1 + Math.exp(-(sums[at] ?? 0)));
      state.slopes[at] = weight * (chance - (right ? 1 : 0));
      state.bends[at] = weight * chance * (1 - chance);
    }
    // Each tree sees a random sample of the examples and features, which reduces overfitting.
    const seen = judged.flatMap((_, at) => (random() < ROW_SHARE ? [at] : []));
    const open = drawn(features.length, Math.max(FEWEST, Math.round(FEATURE_SHARE * features.length)), random);
    const tree = growTree(seen, open, state);
    trees.push(tree);
    for (const [at, row] of rows.entries()) sums[at] = (sums[at] ?? 0) + sumOfTrees([tree], row);
  }
  return { features, trees, start };
};

/** A random sample of `count` positions of a list. */
const drawn = (length: number, count: number, random: () => number): readonly number[] => {
  const places = Array.from({ length }, (_, at) => at);
  shuffle(places, random);
  return places.slice(0, count);
};

const featuresOf = (judged: readonly Judged[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const [name] of judged.flatMap(({ features }) => features)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count >= SEEN ? [name] : []));
};

/** Candidate thresholds of a feature: between any two values if they are few, otherwise at quantiles. */
const candidateCuts = (values: readonly number[]): readonly number[] => {
  const sorted = values.toSorted((one, other) => one - other);
  const distinct = [...new Set(sorted)];
  const edges =
    distinct.length <= PARTS
      ? distinct
      : [
          ...new Set(
            Array.from({ length: PARTS }, (_, at) => sorted[Math.floor(((at + 0.5) * sorted.length) / PARTS)] ?? 0),
          ),
        ];
  return [...new Set(edges.slice(1).map((edge, at) => rounded((edge + (edges[at] ?? 0)) / 2)))];
};

interface State {
  readonly bins: readonly Uint8Array[];
  readonly cuts: readonly (readonly number[])[];
  readonly slopes: Float64Array;
  readonly bends: Float64Array;
}

/** Grows one tree on its sample of the examples and features. */
const growTree = (seen: readonly number[], open: readonly number[], state: State): Tree => {
  const steps: number[] = [];
  let level: readonly (readonly number[])[] = [seen];
  for (let depth = 0; depth < DEPTH; depth++)
    level = level.flatMap((members) => {
      const cut = bestCut(members, open, state);
      steps.push(cut?.feature ?? 0, cut === undefined ? 0 : (state.cuts[cut.feature]?.[cut.bin] ?? 0));
      // A node with too few examples to split gets the same leaf on both sides.
      return cut === undefined ? [members, members] : parted(members, cut, state);
    });
  const values = level.map((leaf) => {
    const [slope, bend] = sumOf(leaf, state);
    return rounded((-RATE * slope) / (bend + DECAY));
  });
  return [...steps, ...values];
};

interface Cut {
  readonly feature: number;
  /** The last bin below the cut. */
  readonly bin: number;
}

const parted = (members: readonly number[], { feature, bin }: Cut, { bins }: State): readonly (readonly number[])[] => [
  members.filter((each) => (bins[each]?.[feature] ?? 0) <= bin),
  members.filter((each) => (bins[each]?.[feature] ?? 0) > bin),
];

const sumOf = (members: readonly number[], { slopes, bends }: State): readonly [number, number] => {
  let [slope, bend] = [0, 0];
  for (const each of members) {
    slope += slopes[each] ?? 0;
    bend += bends[each] ?? 0;
  }
  return [slope, bend];
};

/** The cut with the highest gain that leaves enough examples on either side; undefined if there is none. */
const bestCut = (members: readonly number[], open: readonly number[], state: State): Cut | undefined => {
  const { bins, cuts, slopes, bends } = state;
  const [slope, bend] = sumOf(members, state);
  let best: (Cut & { readonly gain: number }) | undefined;
  for (const feature of open) {
    const list = cuts[feature] ?? [];
    const parts = list.length + 1;
    const [slopeIn, bendIn, count] = [new Float64Array(parts), new Float64Array(parts), new Float64Array(parts)];
    for (const each of members) {
      const bin = bins[each]?.[feature] ?? 0;
      slopeIn[bin] = (slopeIn[bin] ?? 0) + (slopes[each] ?? 0);
      bendIn[bin] = (bendIn[bin] ?? 0) + (bends[each] ?? 0);
      count[bin] = (count[bin] ?? 0) + 1;
    }
    let [slopeBelow, bendBelow, below] = [0, 0, 0];
    for (let bin = 0; bin < list.length; bin++) {
      slopeBelow += slopeIn[bin] ?? 0;
      bendBelow += bendIn[bin] ?? 0;
      below += count[bin] ?? 0;
      if (below < LEAF || members.length - below < LEAF) continue;
      const gain = slopeBelow ** 2 / (bendBelow + DECAY) + (slope - slopeBelow) ** 2 / (bend - bendBelow + DECAY);
      if (gain > (best?.gain ?? Number.NEGATIVE_INFINITY)) best = { feature, bin, gain };
    }
  }
  return best;
};

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

const ROUNDS = 250;
const RATE = 0.04;
/** The depth of a tree: how many features it combines. */
const DEPTH = 3;
const SEED = 3;
/** The shares of the examples and features that are sampled for each tree. */
const ROW_SHARE = 0.6;
const FEATURE_SHARE = 0.2;
const FEWEST = 2;
/** The L2 penalty on leaf values. */
const DECAY = 10;
/** The fewest examples in a leaf. */
const LEAF = 30;
const PARTS = 16;
/** Features that occur less often than this are ignored. */
const SEEN = 40;
