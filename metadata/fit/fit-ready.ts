import { writeFileSync } from 'node:fs';
import { stepsOf } from '../../shared/decide/trees.ts';
import type { Call } from './argument-examples.ts';
import { encodeBenchmark, openEncoder } from './encode-benchmark.ts';
import { leavingOut } from './fit-arguments.ts';
import { foldOf } from './folds.ts';
import { calibration } from './logistic.ts';
import { isCounted, isStraySet, type Judgement, judgements } from './ready-judgements.ts';
import { fitOdds, type Odds, oddsBy, scaled } from './ready-odds.ts';
import { FOLDS, type Foretold, report, reportNested, thresholdFor } from './ready-report.ts';

/** Writes `ready.json`: the model of the probability that a call is right, and the threshold for `ready`. */
export const fitReady = async (directory: string, calls: readonly Call[], vectors?: string): Promise<void> => {
  const encoder = await openEncoder();
  // One table serves decisions with and without the encoder. Their argument weights come from different folds, so that
  // their errors differ.
  const plain = await judgements(directory, leavingOut(calls), '', async ({ deps }) => deps);
  const encoded = await judgements(directory, leavingOut(calls, 1), ' encoded', (benchmark) =>
    encodeBenchmark(benchmark, encoder, vectors),
  );
  await encoder.close();
  const judged = [...plain.judged, ...encoded.judged];
  const met = Array.from({ length: DEALS }, (_, deal) => leftOut(judged, deal)).flat();
  // Stray requests count once here, whatever their weight in the fit, so that a probability is an observed frequency.
  const [slope, shift] = calibration(
    met.map((each) => (isStraySet(each.set) ? { ...each, weight: 1 } : each)),
    met.map(({ odds }) => odds),
  );
  const foretold = met.map((each) => ({ ...each, chance: 1 / (1 + Math.exp(-(slope * each.odds + shift))) }));
  const strays = plain.strays + encoded.strays;
  const asked = plain.asked + encoded.asked;
  const threshold = thresholdFor(foretold, DEALS * strays);
  report(foretold, threshold);
  for (const list of Map.groupBy(foretold, ({ deal }) => deal).values()) reportNested(list, { strays, asked });
  writeTable(scaled(fitOdds(judged), slope, shift), threshold);
};

/** How often the tools are dealt into folds; the result of a single deal depends much on chance. */
const DEALS = 4;

/** The out-of-fold log odds of the requests that count. */
const leftOut = (judged: readonly Judgement[], deal: number): readonly (Omit<Foretold, 'chance'> & LeftOut)[] => {
  const folds = judged.map(({ group }) => foldOf(group, FOLDS, deal));
  return Array.from({ length: FOLDS }, (_, fold) => {
    const odds = fitOdds(judged.filter((_, at) => folds[at] !== fold));
    return judged.flatMap((each, at) =>
      folds[at] === fold && isCounted(each.set) ? [{ ...each, deal, fold, odds: oddsBy(odds, each.features) }] : [],
    );
  }).flat();
};

interface LeftOut {
  readonly odds: number;
  readonly deal: number;
}

const writeTable = ({ weights, features, trees }: Odds, threshold: number): void => {
  const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
  const used = features.filter((_, at) =>
    trees.some((tree) => tree.some((feature, place) => place % 2 === 0 && place < 2 * stepsOf(tree) && feature === at)),
  );
  const table = {
    source: 'made by npm run fit: how likely a drafted call is right',
    threshold: thousandths(threshold),
    weights: Object.fromEntries(Array.from(weights, ([name, weight]) => [name, thousandths(weight)])),
    features: used,
    trees: trees.map((tree) =>
      tree.map((value, at) =>
        at >= 2 * stepsOf(tree) ? thousandths(value) : at % 2 === 0 ? used.indexOf(features[value] ?? '') : value,
      ),
    ),
  };
  const lines = JSON.stringify({ ...table, trees: [] }, null, 2).replace(
    '"trees": []',
    `"trees": [\n${table.trees.map((tree) => `    ${JSON.stringify(tree).replaceAll(',', ', ')}`).join(',\n')}\n  ]`,
  );
  writeFileSync(new URL('../ready.json', import.meta.url), `${lines}\n`);
};
