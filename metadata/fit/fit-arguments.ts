import { writeFileSync } from 'node:fs';
import { extract } from '../../shared/decide/arguments/extract.ts';
import type { Weights } from '../../shared/decide/arguments/proposal-features.ts';
import { readForValues } from '../../shared/decide/arguments/reading.ts';
import { slotsOf } from '../../shared/decide/arguments/slot.ts';
import { profileOf } from '../../shared/search/profile.ts';
import { wrongArguments } from './acceptable.ts';
import { type Call, choicesOf } from './argument-examples.ts';
import { foldOf } from './folds.ts';
import { fitChoices } from './softmax.ts';

const FOLDS = 4;

/** Writes `arguments.json`, and prints the out-of-fold share of calls whose arguments are all right. */
export const fitArguments = (calls: readonly Call[], weightsWithout: WeightsWithout): void => {
  const results = calls.map((call) => ({ set: call.set, exact: isExact(call, weightsWithout(call.tool.name)) }));
  for (const [set, list] of Map.groupBy(results, (result) => result.set))
    console.log(
      `arguments ${set.padEnd(22)} n ${String(list.length).padStart(4)}  exact ${((100 * list.filter(({ exact }) => exact).length) / list.length).toFixed(1)} % (tools left out)`,
    );
  write(fitChoices(calls.flatMap(choicesOf)));
};

/** Out-of-fold weights: learnt without the tools of the given tool's fold. */
export type WeightsWithout = (tool: string) => Weights;

export const leavingOut = (calls: readonly Call[], deal = 0): WeightsWithout => {
  const choices = calls.map((call) => choicesOf(call));
  const weights = Array.from({ length: FOLDS }, (_, fold) =>
    Object.fromEntries(
      fitChoices(choices.filter((_, at) => foldOf(calls[at]?.tool.name ?? '', FOLDS, deal) !== fold).flat()),
    ),
  );
  return (tool) => weights[foldOf(tool, FOLDS, deal)] ?? {};
};

const isExact = ({ query, tool, acceptable, now }: Call, weights: Weights): boolean => {
  const subject = new Set(profileOf(tool).purpose.map(({ term }) => term));
  const { found } = extract(slotsOf(tool.parameters), readForValues(query, now), subject, weights);
  const given = Object.fromEntries(Array.from(found, ([name, { value }]) => [name, value]));
  return wrongArguments(given, acceptable).length === 0;
};

const write = (weights: ReadonlyMap<string, number>): void => {
  const rounded = [...weights]
    .map(([feature, weight]) => [feature, Math.round(weight * 1000) / 1000] as const)
    .filter(([, weight]) => weight !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const table = {
    source: 'made by npm run fit: what speaks for a value as the argument of a parameter',
    weights: Object.fromEntries(rounded),
  };
  writeFileSync(new URL('../arguments.json', import.meta.url), `${JSON.stringify(table, null, 2)}\n`);
};
