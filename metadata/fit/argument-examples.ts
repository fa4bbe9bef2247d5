import { rankedProposals, surroundingsOf } from '../../shared/decide/arguments/extract.ts';
import { leavesOf } from '../../shared/decide/arguments/leaves.ts';
import {
  describeNone,
  describeProposal,
  describeUnused,
  RECOGNISED,
} from '../../shared/decide/arguments/proposal-features.ts';
import { readForValues } from '../../shared/decide/arguments/reading.ts';
import { slotsOf } from '../../shared/decide/arguments/slot.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { profileOf } from '../../shared/search/profile.ts';
import { isAcceptable } from './acceptable.ts';

/** A request whose tool and arguments are known. */
export interface Call {
  readonly id: string;
  readonly set: string;
  readonly query: string;
  readonly tool: Tool;
  /** By parameter; an empty string among the values means that it may be left out. */
  readonly acceptable: Readonly<Record<string, readonly unknown[]>>;
  readonly weight: number;
  readonly now?: number;
}

/** A choice to learn from: each option is a list of features with their values, and at least one option is right. */
export interface Choice {
  readonly group: string;
  readonly weight: number;
  readonly options: readonly (readonly (readonly [string, number])[])[];
  readonly right: readonly boolean[];
}

/** The choices in filling a call: a proposal for each parameter, and a parameter for each recognised span. */
export const choicesOf = ({ query, tool, acceptable, weight, now }: Call): readonly Choice[] => {
  const reading = readForValues(query, now);
  const subject = new Set(profileOf(tool).purpose.map(({ term }) => term));
  const leaves = leavesOf(slotsOf(tool.parameters));
  const around = surroundingsOf(leaves, reading, subject, {});
  const judged = rankedProposals(around).map((list, at) => {
    const { slot, path } = leaves[at] as (typeof leaves)[number];
    const wanted = acceptableAt(acceptable, path);
    return {
      none: featuresOf((sink) => describeNone(slot, around, sink)),
      absent: wanted.length === 0 || wanted.includes(''),
      proposals: list.map((each) => ({
        place: `${each.proposal.start} ${each.proposal.end}`,
        recognised: RECOGNISED.has(each.proposal.source),
        right: wanted.some((value) => value !== '' && isAcceptable(each.proposal.value, value)),
        features: featuresOf((sink) => describeProposal(slot, each, around, sink)),
        unused: featuresOf((sink) => describeUnused(each.proposal, around, sink)),
      })),
    };
  });
  const common = { group: tool.name, weight };
  const bySlot = judged
    .filter(({ proposals }) => proposals.length > 0)
    .map(({ none, absent, proposals }) => ({
      ...common,
      options: [none, ...proposals.map(({ features, unused }) => [...features, ...negated(unused)])],
      // If no proposal is right, the right option is to leave the parameter open and ask.
      right: [absent || !proposals.some(({ right }) => right), ...proposals.map(({ right }) => right)],
    }));
  const spans = Map.groupBy(
    judged.flatMap(({ none, proposals }) =>
      proposals.filter(({ recognised }) => recognised).map((proposal) => ({ ...proposal, none })),
    ),
    ({ place }) => place,
  );
  const bySpan = Array.from(spans.values(), (takers) => ({
    ...common,
    options: [takers[0]?.unused ?? [], ...takers.map(({ features, none }) => [...features, ...negated(none)])],
    right: [!takers.some(({ right }) => right), ...takers.map(({ right }) => right)],
  }));
  return [...bySlot, ...bySpan];
};

type Described = readonly (readonly [string, number])[];

const negated = (features: Described): Described => features.map(([feature, value]) => [feature, -value] as const);

const featuresOf = (describe: (sink: (feature: string, value: number) => void) => void) => {
  const features: [string, number][] = [];
  describe((feature, value) => {
    if (value !== 0) features.push([feature, value]);
  });
  return features;
};

/** The acceptable values of a nested parameter; an acceptable object lists the acceptable values of each field. */
const acceptableAt = (acceptable: Call['acceptable'], [name = '', ...rest]: readonly string[]): readonly unknown[] => {
  const values = acceptable[name] ?? [];
  if (rest.length === 0) return values;
  return values.flatMap((value) => {
    if (value === '') return [''];
    if (typeof value !== 'object' || value === null) return [];
    const fields = Object.entries(value).map(([key, field]) => [key, Array.isArray(field) ? field : [field]] as const);
    const inner = acceptableAt(Object.fromEntries(fields), rest);
    return inner.length === 0 ? [''] : inner;
  });
};
