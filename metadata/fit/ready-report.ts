import { isStraySet, type Judgement } from './ready-judgements.ts';

/** A decision with its out-of-fold probability. */
export interface Foretold extends Judgement {
  readonly chance: number;
  /** The held-out fold. */
  readonly fold: number;
}

export const FOLDS = 4;
/** The least precision of `ready` among the benchmark requests that have a right tool. */
const PRECISION = 0.938;
/** Of the requests that no tool fits, at most this share may be ready. */
const STRAY = 0.009;

/** The lowest threshold that meets both limits; `strays` is the number of requests that no tool fits. */
export const thresholdFor = (foretold: readonly Foretold[], strays: number): number => {
  const sorted = foretold.filter(mayBeReady).sort((one, other) => other.chance - one.chance);
  let [all, good, stray, threshold] = [0, 0, 0, 1];
  for (const { right, set, chance } of sorted) {
    if (isStraySet(set)) stray++;
    else all++;
    if (right) good++;
    if (all > 0 && good / all >= PRECISION && stray / strays <= STRAY) threshold = chance;
  }
  return threshold;
};

const mayBeReady = ({ complete, set }: Judgement): boolean => complete && !set.startsWith('everyday');

/** Prints the results of nested thresholds, each chosen without the tools that it is applied to. */
export const reportNested = (
  foretold: readonly Foretold[],
  { strays, asked }: { readonly strays: number; readonly asked: number },
): void => {
  let [ready, right, stray] = [0, 0, 0];
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = foretold.filter((each) => each.fold !== fold);
    const threshold = thresholdFor(others, strays * (1 - 1 / FOLDS));
    for (const each of foretold) {
      if (each.fold !== fold || !mayBeReady(each) || each.chance < threshold) continue;
      if (isStraySet(each.set)) stray++;
      else ready++;
      if (each.right) right++;
    }
  }
  console.log(
    `ready with thresholds of other tools: ${((100 * ready) / asked).toFixed(1)} % of requests that have a tool, ${((100 * right) / ready).toFixed(1)} % right; ${((100 * stray) / strays).toFixed(2)} % of those that have none`,
  );
};

export const report = (rows: readonly Foretold[], threshold: number): void => {
  for (const [set, list] of Map.groupBy(rows, (row) => row.set)) {
    const ready = list.filter(({ complete, chance }) => complete && chance >= threshold);
    console.log(
      `ready ${set.padEnd(22)} n ${String(list.length).padStart(4)}  ready ${((100 * ready.length) / list.length).toFixed(1)} %, of which right ${((100 * ready.filter(({ right }) => right).length) / ready.length).toFixed(1)} % (tools left out)`,
    );
  }
  const sorted = rows.filter(({ complete }) => complete).sort((one, other) => other.chance - one.chance);
  for (const share of [0.2, 0.3, 0.4, 0.45, 0.5, 0.6]) {
    const part = sorted.slice(0, Math.round(share * rows.length));
    console.log(
      `surest ${(100 * share).toFixed(0)} %: right ${((100 * part.filter(({ right }) => right).length) / part.length).toFixed(1)} %, from ${(part.at(-1)?.chance ?? 0).toFixed(3)}`,
    );
  }
  console.log('predicted  observed  n');
  for (let low = 0; low < 1; low += 0.1) {
    const part = rows.filter(({ chance }) => chance >= low && chance < low + 0.1);
    if (part.length === 0) continue;
    const mean = part.reduce((sum, { chance }) => sum + chance, 0) / part.length;
    console.log(
      `${mean.toFixed(3)}      ${(part.filter(({ right }) => right).length / part.length).toFixed(3)}     ${part.length}`,
    );
  }
};
