import { canonicalJson } from '../../kernel/canonical-json.ts';
import { hasInfinite } from '../../kernel/check-nesting.ts';
import { termOf } from '../../search/text.ts';
import { slotRarity } from './cues.ts';
import { freeChances } from './free-chances.ts';
import { type Leaf, leavesOf, rebuilt } from './leaves.ts';
import { namedBeside } from './naming.ts';
import { overlap, type Proposal, type Source } from './proposal.ts';
import { type Ranked, RECOGNISED, type Surroundings, type Weights } from './proposal-features.ts';
import { proposalsFor } from './propose.ts';
import { PLACES, type Reading } from './reading.ts';
import { scoreOf, scoreOfNone, WEIGHTS } from './scorer.ts';
import { inOrder, type Offer, settle } from './settle.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';

/** A value for a parameter, with its confidence and the words it was taken from. */
export interface Extraction {
  readonly value: unknown;
  readonly confidence: number;
  readonly from: string;
  /** How the words were converted to the value; absent if the value is the words themselves. */
  readonly how?: string | undefined;
  /** The kind of proposal that it was. */
  readonly source?: Source | undefined;
  /** Where in the text it was taken from. */
  readonly at?: { readonly start: number; readonly end: number } | undefined;
  /** How it compares with the other values: whether it or they are named, and how many others there are. */
  readonly standing?: Pick<Ranked, 'named' | 'claimed' | 'elsewhere' | 'rivals'> | undefined;
  /** Its margin over the next best value for the parameter, in log odds. */
  readonly lead?: number | undefined;
}

/** The values that a text gives a tool's parameters, and how certain they are. */
export interface Extracted {
  readonly found: ReadonlyMap<string, Extraction>;
  /** For each parameter, the probability that it is right, filled or left open. */
  readonly chances: ReadonlyMap<string, number>;
  /** Recognised values that no parameter took. */
  readonly unused: readonly Span[];
  /** The margin over the next best assignment of values to parameters, in log odds. */
  readonly contest: () => number;
  /** For each parameter, the probability that it is right if all others are, whose words it cannot take. */
  readonly freeChances: () => ReadonlyMap<string, number>;
}

/** Fills slots with values from the text only. `subject` has the terms that the tool is about. */
export const extract = (
  slots: readonly Slot[],
  reading: Reading,
  subject: ReadonlySet<string> = new Set(),
  weights: Weights = WEIGHTS,
): Extracted => {
  const leaves = leavesFor(slots);
  const around = surroundingsOf(leaves, reading, subject, weights);
  const ranked = rankedProposals(around);
  const offers = leaves.map(({ slot }, at) => offersFor(slot, ranked[at] ?? [], around));
  const { chosen, contest } = settle(leaves, offers);
  const settled = inOrder(chosen);
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
    contest,
    freeChances: () => freeChances(leaves, offers, settled),
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
  subject,
  weights,
  phrases: phrasesByPlace(reading),
  ...slotsIn(leaves),
});

/** Cached, because a tool's slots do not change. */
const leavesFor = (slots: readonly Slot[]): readonly Leaf[] => {
  const known = leafLists.get(slots) ?? leavesOf(slots);
  leafLists.set(slots, known);
  return known;
};
const leafLists = new WeakMap<readonly Slot[], readonly Leaf[]>();

const slotsIn = (leaves: readonly Leaf[]): Pick<Surroundings, 'slots' | 'rarity'> => {
  const known = slotLists.get(leaves);
  if (known !== undefined) return known;
  const slots = leaves.map(({ slot }) => slot);
  const made = { slots, rarity: slotRarity(slots) };
  slotLists.set(leaves, made);
  return made;
};
const slotLists = new WeakMap<readonly Leaf[], Pick<Surroundings, 'slots' | 'rarity'>>();

const phrasesByPlace = ({ phrases }: Reading): Surroundings['phrases'] => {
  const known =
    placedPhrases.get(phrases) ?? new Map(phrases.map((phrase) => [phrase.start * PLACES + phrase.end, phrase]));
  placedPhrases.set(phrases, known);
  return known;
};
const placedPhrases = new WeakMap<Reading['phrases'], Surroundings['phrases']>();

/** The proposals for each slot, with features that compare each to the others. */
export const rankedProposals = ({ slots, reading, subject }: Surroundings): readonly (readonly Ranked[])[] => {
  // Infinite numbers are no arguments: 400 Chinese digits, ten thousand hundreds or 1e999.
  const all = slots.map((slot) =>
    proposalsFor(slot, slots, reading, subject).filter(({ value }) => !hasInfinite(value)),
  );
  const homes = new Map<number, number>();
  for (const proposals of all) {
    const places = new Set(proposals.filter(({ source }) => RECOGNISED.has(source)).map(packPlace));
    for (const place of places) homes.set(place, (homes.get(place) ?? 0) + 1);
  }
  const named = all.map((proposals, at) => namesBeside(slots[at] as Slot, proposals, reading));
  return all.map((proposals, at) => {
    const places = new Map<string, number[]>();
    for (const { source, start } of proposals) {
      const list = places.get(source);
      if (list === undefined) places.set(source, [start]);
      else if (!list.includes(start)) list.push(start);
    }
    for (const list of places.values()) list.sort((one, other) => one - other);
    return proposals.map((proposal) => {
      const place = packPlace(proposal);
      return {
        proposal,
        rank: places.get(proposal.source)?.indexOf(proposal.start) ?? 0,
        rivals: (places.get(proposal.source)?.length ?? 1) - 1,
        homes: homes.get(place) ?? 0,
        named: named[at]?.get(place) ?? 0,
        claimed: claimedBy(named, at, place),
        elsewhere: named[at] === undefined ? 0 : mostElsewhere(named[at], place),
      };
    });
  });
};

/** The largest share of another slot's name beside a span. */
const claimedBy = (named: readonly ReadonlyMap<number, number>[], own: number, place: number): number => {
  let most = 0;
  for (let at = 0; at < named.length; at++) if (at !== own) most = Math.max(most, named[at]?.get(place) ?? 0);
  return most;
};

/** The largest share of the slot's own name beside another span. */
const mostElsewhere = (levels: ReadonlyMap<number, number>, place: number): number => {
  let most = 0;
  for (const [other, level] of levels) if (other !== place && level > most) most = level;
  return most;
};

/** For each recognised span, the share of the slot's name beside it. */
const namesBeside = (slot: Slot, proposals: readonly Proposal[], reading: Reading): ReadonlyMap<number, number> => {
  const levels = new Map<number, number>();
  for (const proposal of proposals) {
    const place = packPlace(proposal);
    if (proposal.source === 'phrase' || levels.has(place)) continue;
    levels.set(place, namedBeside(slot, proposal.start, proposal.end, reading));
  }
  return levels;
};

const packPlace = ({ start, end }: Proposal): number => start * PLACES + end;

/** The candidate values of a slot, with proposals of the same value merged. */
const offersFor = (slot: Slot, ranked: readonly Ranked[], around: Surroundings): readonly Offer[] => {
  const none = scoreOfNone(slot, around);
  const byValue = new Map<string, { proposal: Proposal; standing: Ranked; power: number; best: number }>();
  let total = 1;
  for (const each of ranked) {
    const { proposal } = each;
    const power = Math.exp(Math.min(scoreOf(slot, each, around) - none, 40));
    total += power;
    const key = typeof proposal.value === 'string' ? proposal.value : canonicalJson(proposal.value);
    const known = byValue.get(key);
    if (known === undefined) byValue.set(key, { proposal, standing: each, power, best: power });
    else {
      known.power += power;
      if (power > known.best) [known.best, known.proposal, known.standing] = [power, proposal, each];
    }
  }
  return [...byValue.values()]
    .map(({ proposal, standing, power }) => ({
      proposal,
      standing,
      gain: Math.log(power) + (slot.required ? (RECOGNISED.has(proposal.source) ? DRAFT : FREE_DRAFT) : LEANING),
      probability: power / total,
    }))
    .sort((one, other) => other.gain - one.gain)
    .slice(0, OFFERS);
};

/** A required slot is filled even if leaving it open is a little likelier to be right; it is shown as doubtful. */
const DRAFT = 3;
/** Words that nothing marks as a value get a smaller bonus: `look` is not a text just because one is required. */
const FREE_DRAFT = 2;
/** The bonus for filling an optional slot: a value that the text gives is more often meant than not. */
const LEANING = 0.3;
const OFFERS = 12;
