import { canonicalJson } from '../../kernel/canonical-json.ts';
import { termOf } from '../../search/text.ts';
import { assign } from './assign.ts';
import { slotRarity } from './cues.ts';
import { PLACES } from './feature-names.ts';
import { type Leaf, leavesOf, rebuilt } from './leaves.ts';
import { overlap, type Proposal, type Source } from './proposal.ts';
import { type Ranked, RECOGNISED, type Surroundings, type Weights } from './proposal-features.ts';
import { proposalsFor } from './propose.ts';
import type { Reading } from './reading.ts';
import { scoreOf, scoreOfNone, WEIGHTS } from './scorer.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';

/** A value for a parameter, how sure it is, and the words it was taken from. */
export interface Extraction {
  readonly value: unknown;
  readonly confidence: number;
  readonly from: string;
  /** What made the value of the words, when it is not the words themselves. */
  readonly how?: string | undefined;
  /** The reading that saw it. */
  readonly source?: Source | undefined;
  /** Where in the text it was taken from. */
  readonly at?: { readonly start: number; readonly end: number } | undefined;
}

/** What a text gives for a tool's parameters, and how surely as a whole. */
export interface Extracted {
  readonly found: ReadonlyMap<string, Extraction>;
  /** By parameter, the chance that it is as meant, filled or left open. */
  readonly chances: ReadonlyMap<string, number>;
  /** Words recognised as values that no parameter took. */
  readonly unused: readonly Span[];
}

/** Values for as many slots as the text gives; nothing is made up. `subject` are terms that the tool is about. */
export const extract = (
  slots: readonly Slot[],
  reading: Reading,
  subject: ReadonlySet<string> = new Set(),
  weights: Weights = WEIGHTS,
): Extracted => {
  const leaves = leavesOf(slots);
  const around = surroundingsOf(leaves, reading, subject, weights);
  const ranked = rankedProposals(around);
  const offers = leaves.map(({ slot }, at) => offersFor(slot, ranked[at] ?? [], around));
  const settled = inOrder(settle(leaves, offers));
  const chances = new Map<string, number>();
  for (const [at, leaf] of leaves.entries()) {
    const none = 1 - (offers[at] ?? []).reduce((sum, { probability }) => sum + probability, 0);
    const chance = Math.min(Math.max(settled.get(leaf)?.confidence ?? none, 0.001), 0.999);
    const [name = ''] = leaf.path;
    chances.set(name, (chances.get(name) ?? 1) * chance);
  }
  const taken = [...settled.values()];
  return {
    found: rebuilt(slots, leaves, settled),
    chances,
    unused: reading.spans.filter(
      (span) => !taken.some(({ at }) => at !== undefined && overlap(at, span)) && !isSubject(span, subject),
    ),
  };
};

const isSubject = ({ text }: Span, subject: ReadonlySet<string>): boolean =>
  text
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .every((word) => word === '' || subject.has(termOf(word)));

export const surroundingsOf = (
  leaves: readonly Leaf[],
  reading: Reading,
  subject: ReadonlySet<string>,
  weights: Weights,
): Surroundings => ({
  reading,
  slots: leaves.map(({ slot }) => slot),
  subject,
  weights,
  rarity: slotRarity(leaves.map(({ slot }) => slot)),
  phrases: new Map(reading.phrases.map((phrase) => [phrase.start * PLACES + phrase.end, phrase])),
});

/** The proposals for each slot, with features that compare each to the others. */
export const rankedProposals = ({ slots, reading, subject }: Surroundings): readonly (readonly Ranked[])[] => {
  const all = slots.map((slot) => proposalsFor(slot, slots, reading, subject));
  const homes = new Map<number, number>();
  for (const proposals of all) {
    const places = new Set(proposals.filter(({ source }) => RECOGNISED.has(source)).map(packPlace));
    for (const place of places) homes.set(place, (homes.get(place) ?? 0) + 1);
  }
  return all.map((proposals) => {
    const places = new Map<string, number[]>();
    for (const { source, start } of proposals) {
      const list = places.get(source);
      if (list === undefined) places.set(source, [start]);
      else if (!list.includes(start)) list.push(start);
    }
    for (const list of places.values()) list.sort((one, other) => one - other);
    return proposals.map((proposal) => ({
      proposal,
      rank: places.get(proposal.source)?.indexOf(proposal.start) ?? 0,
      rivals: (places.get(proposal.source)?.length ?? 1) - 1,
      homes: homes.get(packPlace(proposal)) ?? 0,
    }));
  });
};

const packPlace = ({ start, end }: Proposal): number => start * PLACES + end;

interface Offer {
  readonly proposal: Proposal;
  /** By how much it is better than nothing, in log odds. */
  readonly gain: number;
  readonly probability: number;
}

/** The values on offer for a slot, readings of the same value taken together. */
const offersFor = (slot: Slot, ranked: readonly Ranked[], around: Surroundings): readonly Offer[] => {
  const none = scoreOfNone(slot, around);
  const byValue = new Map<string, { proposal: Proposal; power: number; best: number }>();
  let total = 1;
  for (const each of ranked) {
    const { proposal } = each;
    const power = Math.exp(Math.min(scoreOf(slot, each, around) - none, 40));
    total += power;
    const key = typeof proposal.value === 'string' ? proposal.value : canonicalJson(proposal.value);
    const known = byValue.get(key);
    if (known === undefined) byValue.set(key, { proposal, power, best: power });
    else {
      known.power += power;
      if (power > known.best) [known.best, known.proposal] = [power, proposal];
    }
  }
  return [...byValue.values()]
    .map(({ proposal, power }) => ({
      proposal,
      gain: Math.log(power) + (slot.required ? DRAFT : LEANING),
      probability: power / total,
    }))
    .sort((one, other) => other.gain - one.gain)
    .slice(0, OFFERS);
};

/** Gives each slot one offer so that the whole is best and no words serve twice. */
const settle = (leaves: readonly Leaf[], offers: readonly (readonly Offer[])[]): ReadonlyMap<Leaf, Extraction> => {
  const columns = [...new Set(offers.flat().map(({ proposal }) => columnOf(proposal)))];
  const best = offers.map((list) => {
    const row = new Map<string, Offer>();
    for (const offer of list) if (!row.has(columnOf(offer.proposal))) row.set(columnOf(offer.proposal), offer);
    return row;
  });
  const gains = best.map((row) => columns.map((column) => row.get(column)?.gain ?? 0));
  for (let round = 0; round < ROUNDS; round++) {
    const chosen = assign(gains).map((column, row) => best[row]?.get(columns[column] ?? ''));
    const loser = conflict(chosen, leaves);
    if (loser < 0)
      return new Map(
        chosen.flatMap((offer, row) => (offer === undefined ? [] : [[leaves[row] as Leaf, extractionOf(offer)]])),
      );
    const column = columns.indexOf(columnOf(chosen[loser]?.proposal as Proposal));
    (gains[loser] as number[])[column] = 0;
  }
  return new Map();
};

/** Slots that differ only by a number (side1, side2) take their values in the order of the text. */
const inOrder = (found: ReadonlyMap<Leaf, Extraction>): ReadonlyMap<Leaf, Extraction> => {
  const groups = Map.groupBy(
    [...found].filter(([{ slot }]) => slot.nameTerms.some((term) => COUNTER.test(term))),
    ([{ slot }]) => `${slot.type} ${slot.nameTerms.map((term) => term.replace(COUNTER, '')).join(' ')}`,
  );
  const sorted = new Map(found);
  for (const group of groups.values()) {
    const values = group.map(([, value]) => value).sort((one, other) => (one.at?.start ?? 0) - (other.at?.start ?? 0));
    for (const [at, [leaf]] of group.entries()) sorted.set(leaf, values[at] as Extraction);
  }
  return sorted;
};
const COUNTER = /^(?:first|second|third|fourth|one|two|three|four|\d+|[a-z])$|\d+$/u;

/** The weaker of two whose words overlap; -1 when none do. What is required takes the whole before an option takes a part. */
const conflict = (chosen: readonly (Offer | undefined)[], leaves: readonly Leaf[]): number => {
  for (const [row, one] of chosen.entries()) {
    if (one === undefined || one.proposal.shares) continue;
    for (let other = row + 1; other < chosen.length; other++) {
      const two = chosen[other];
      if (two === undefined || two.proposal.shares || !overlap(one.proposal, two.proposal)) continue;
      if (isOtherHalf(one.proposal, two.proposal)) continue;
      if (contains(one.proposal, two.proposal) && leaves[row]?.slot.required && !leaves[other]?.slot.required)
        return other;
      if (contains(two.proposal, one.proposal) && leaves[other]?.slot.required && !leaves[row]?.slot.required)
        return row;
      return one.gain < two.gain ? row : other;
    }
  }
  return -1;
};

const contains = (whole: Proposal, part: Proposal): boolean =>
  whole.source === 'moment' && whole.start <= part.start && part.end <= whole.end;

/** `tomorrow at 3 pm` gives a date to one slot and a time to another. */
const isOtherHalf = (one: Proposal, other: Proposal): boolean =>
  one.source === 'moment' && other.source === 'moment' && one.how !== other.how;

const columnOf = ({ start, end, source, how, shares }: Proposal): string =>
  shares ? `${source} ${start} ${end}` : source === 'moment' ? `${start} ${end} ${how}` : `${start} ${end}`;

const extractionOf = ({ proposal, probability }: Offer): Extraction => ({
  value: proposal.value,
  confidence: probability,
  from: proposal.from,
  how: proposal.how,
  source: proposal.source,
  at: { start: proposal.start, end: proposal.end },
});

/** A required slot gets a draft even when leaving it open is somewhat likelier to be right: it is shown as doubtful. */
const DRAFT = 3;
/** What was said is more often meant than not. */
const LEANING = 0.3;
const OFFERS = 12;
const ROUNDS = 24;
