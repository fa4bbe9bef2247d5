import { termOf } from '../../search/text.ts';
import { cueOf } from './cues.ts';
import { classOf, joined, type OwnNames, ownNames } from './feature-names.ts';
import { SIGNS, wordBefore } from './naming.ts';
import { describePhrase } from './phrase-features.ts';
import type { Phrase } from './phrases.ts';
import { isKnownPlace } from './places.ts';
import type { Proposal, Source } from './proposal.ts';
import { type Reading, tokenAt } from './reading.ts';
import { conversionRole, partRole, prepositionAt, roleOf, saidRole } from './roles.ts';
import { asksForYear, type Slot } from './slot.ts';

/** The context in which the proposals for a tool's slots are scored. */
export interface Surroundings {
  readonly reading: Reading;
  readonly slots: readonly Slot[];
  readonly rarity: ReadonlyMap<string, number>;
  /** The terms that the tool is about. */
  readonly subject: ReadonlySet<string>;
  readonly phrases: ReadonlyMap<number, Phrase>;
  readonly weights: Weights;
}

/** A proposal, compared with the others for its slot and for the other slots. */
export interface Ranked {
  readonly proposal: Proposal;
  /** Its index, in text order, among the slot's proposals of the same source. */
  readonly rank: number;
  /** The number of other proposals of the same source for the slot. */
  readonly rivals: number;
  /** The number of slots that could take the same words. */
  readonly homes: number;
  /** The share of the slot's name beside it. */
  readonly named: number;
  /** The largest share of another slot's name beside it. */
  readonly claimed: number;
  /** The largest share of the slot's name beside another value. */
  readonly elsewhere: number;
}

export type Weights = Readonly<Record<string, number>>;

export type Sink = (feature: string, value: number) => void;

export const describeNone = (slot: Slot, { reading }: Surroundings, sink: Sink): void => {
  const need = slot.required ? 'required' : 'optional';
  sink(`none ${need}`, 1);
  sink(`none ${need} ${classOf(slot)}`, 1);
  sink(joined(joined('none', need), joined('for', slot.nameTerms.at(-1) ?? '')), 1);
  if (slot.default !== undefined) sink(`none default ${need}`, 1);
  const named = reading.words.free.some(({ term }) => slot.nameTerms.includes(term));
  if (named) sink(`none named ${need}`, 1);
};

/** Features of leaving a recognised value unused; none for words that may not be a value at all. */
export const describeUnused = (
  { source: own, from }: Proposal,
  { subject, reading }: Surroundings,
  sink: Sink,
): void => {
  const source = learntAs(own);
  if (!RECOGNISED.has(source)) return;
  sink(joined('unused', source), 1);
  const terms = from
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .map(termOf)
    .filter((term) => term !== '');
  if (terms.length > 0 && terms.every((term) => subject.has(term))) sink(`unused subject`, 1);
  if (source === 'number' && !/\d/u.test(from)) sink('unused spelled', 1);
  sink('unused of many', Math.min(reading.spans.length, 8) / 8);
};

const learntAs = (source: Source): Source => (source === 'phone' ? 'email' : source);

/** Sources that recognise a value as such; a phrase may be anything. */
export const RECOGNISED: ReadonlySet<Source> = new Set<Source>([
  'quoted',
  'email',
  'url',
  'path',
  'code',
  'phone',
  'number',
  'moment',
  'proper',
  'named',
  'choice',
  'literal',
]);

/** The named features of a proposal: its source, context, position and own words. */
export const describeProposal = (slot: Slot, ranked: Ranked, around: Surroundings, sink: Sink): void => {
  const { proposal, rank } = ranked;
  const { reading, rarity, slots } = around;
  const { own, start } = proposal;
  const source = learntAs(proposal.source);
  const names = ownNames(slot, source);
  for (const name of names.always) sink(name, 1);
  if (RECOGNISED.has(source)) sink(names.last, 1);
  sink(names.own, own);
  if (proposal.how !== undefined) sink(joined('how', proposal.how), 1);
  const cue = cueOf(reading, { start, end: proposal.end, text: proposal.from }, slot, rarity);
  sink('cue', cue);
  sink(names.cue, Math.min(cue, 0.5));
  if (source !== 'phrase') describeStanding(slot, ranked, reading, names, sink);
  if (source === 'number') describeNumber(slot, proposal, reading, sink);
  describeNeighbours(slot, proposal, reading, sink);
  describeRole(slot, proposal, reading, sink);
  const preposition = prepositionAt(reading, start);
  if (preposition !== '') sink(joined(joined('after', preposition), names.kind), 1);
  const { place, alike } = placeAmong(slot, slots);
  if (alike > 1) {
    sink(place === rank ? names.inOrder : names.outOfOrder, 1);
    if (Math.abs(place - rank) > 1) sink(names.farOutOfOrder, 1);
  } else sink(rank === 0 ? 'first' : 'later', 1);
  describeWords(slot, proposal, around, sink);
};

/** Features that compare it with the other values and the other slots. */
const describeStanding = (
  slot: Slot,
  { proposal, rivals, homes, named, claimed, elsewhere }: Ranked,
  { spans }: Reading,
  { kind, rivals: rivalNames, claimed: claimedName, elsewhere: elsewhereName }: OwnNames,
  sink: Sink,
): void => {
  const need = slot.required ? 'required' : 'optional';
  const source = learntAs(proposal.source);
  // A recognised value was said for some slot: for this one, if no other could take it.
  if (homes === 1) sink(joined('only home', need), 1);
  if (homes === 1) sink(joined('only home', source), 1);
  if (homes === 1) sink(joined(joined('only home', kind), need), 1);
  sink(rivalNames, Math.min(rivals, 4));
  sink('named wholly', named === 1 ? 1 : 0);
  // A value named for one slot does not belong to another, whatever the order.
  sink(claimedName, Math.max(0, claimed - named));
  sink(elsewhereName, Math.max(0, elsewhere - named));
  // A list of one value is judged by the kind of that value.
  if (source === 'single') {
    const kept = spans.find((span) => span.start === proposal.start && span.end === proposal.end);
    if (kept !== undefined) sink(joined(joined('single', kept.kind), classOf(slot.items ?? slot)), 1);
  }
};

/** Features of its own words. */
const describeWords = (slot: Slot, proposal: Proposal, around: Surroundings, sink: Sink): void => {
  const source = learntAs(proposal.source);
  if (source === 'phrase') describePhrase(slot, proposal, around, sink);
  else if (source === 'proper' || source === 'code') describeName(slot, proposal, around, sink);
  else if (TEXTUAL.has(source)) {
    sink(joined('long', source), Math.min(proposal.from.length, 200) / 100);
    // Text with symbols of program code is meant verbatim.
    if (MARKS.test(proposal.from)) sink(joined('marked', source), 1);
  }
};

/** Features of its role, compared with the slot's: after `from` or `to`, `by` or `with`, or as the unit of a value. */
const describeRole = (slot: Slot, { source, start, end }: Proposal, reading: Reading, sink: Sink): void => {
  const need = slot.required ? 'required' : 'optional';
  const role = roleOf(slot) * (NAMING.has(source) ? conversionRole(reading, start) : saidRole(reading, start));
  if (role !== 0) sink(role > 0 ? 'role' : 'role against', 1);
  // In `50 kilometers` the unit measures that value and need not be the unit of the answer.
  if (source === 'named' && roleOf(slot) === 0 && conversionRole(reading, start) === 1)
    sink(joined('measures a value', need), 1);
  const part = partRole(slot, reading, start, end);
  if (part !== 0) sink(part > 0 ? 'part' : 'other part', 1);
};

const describeNumber = (slot: Slot, { start, end, value, from }: Proposal, { spans }: Reading, sink: Sink): void => {
  const span = spans.find((each) => each.start === start && each.end === end);
  const quantity = span?.quantity;
  if (quantity === undefined) return;
  if (quantity.spelled) sink('spelled', 1);
  if (quantity.spelled && spans.some((other) => other.quantity?.spelled === false)) sink('spelled among digits', 1);
  if (quantity.unit !== undefined && slot.nameTerms.includes(termOf(quantity.unit))) sink('unit is name', 1);
  // A number of pixels without a dimension is the width.
  if (quantity.dimension === undefined && PIXELS.has(quantity.unit ?? '') && slot.nameTerms.includes('width'))
    sink('named after', 1);
  // `640 pixels wide` names the width as `640 width` would.
  if (quantity.dimension !== undefined)
    sink(slot.nameTerms.includes(quantity.dimension) ? 'named after' : 'year for other', 1);
  const year =
    typeof value === 'number' &&
    value >= 1500 &&
    value <= 2100 &&
    /^\d{4}$/u.test(from) &&
    quantity.dimension === undefined;
  const wanted = asksForYear(slot);
  if (year) sink(wanted ? 'year for year' : 'year for other', 1);
  else if (wanted) sink('other for year', 1);
  if (quantity.currency !== undefined) sink('money', 1);
  if (quantity.ordinal) sink('ordinal', 1);
};

/** A slot's index among the slots of its class that are required or optional as it is, and their number. */
const placeAmong = (slot: Slot, slots: readonly Slot[]): { readonly place: number; readonly alike: number } => {
  const known = places.get(slots);
  if (known !== undefined) return known.get(slot) ?? ALONE;
  const groups = Map.groupBy(slots, (each) => `${classOf(each)} ${each.required}`);
  const made = new Map(
    [...groups.values()].flatMap((group) =>
      group.map((each, place) => [each, { place, alike: group.length }] as const),
    ),
  );
  places.set(slots, made);
  return made.get(slot) ?? ALONE;
};
const places = new WeakMap<readonly Slot[], ReadonlyMap<Slot, { readonly place: number; readonly alike: number }>>();
const ALONE = { place: 0, alike: 1 };

/** Features of the slot's name right before or after it, and of the sign or word that binds them. */
const describeNeighbours = (slot: Slot, { start, end, source }: Proposal, reading: Reading, sink: Sink): void => {
  const { text, tokens } = reading;
  const { at, bound } = wordBefore(reading, start);
  const before = tokens[at];
  if (before !== undefined && slot.nameTerms.includes(before.term)) {
    const sign = SIGNS[bound] ?? 'bound';
    const part = slot.nameTerms.length === 1 || before.term === slot.nameTerms.at(-1) ? 'whole' : 'part';
    sink(joined(sign, part), 1);
    sink(joined(joined(sign, part), source), 1);
  }
  const after = tokens[tokenAt(tokens, end)];
  if (after !== undefined && slot.nameTerms.includes(after.term) && /^\s?-?$/u.test(text.slice(end, after.start)))
    sink('named after', 1);
};

const describeName = (slot: Slot, { from }: Proposal, { subject }: Surroundings, sink: Sink): void => {
  const kind = classOf(slot);
  if (isKnownPlace(from)) sink(joined('known place', kind), 1);
  const words = from.split(/\s+/u);
  sink(joined(words.length > 1 ? 'several capitals' : 'one capital', kind), 1);
  if (words.every((word) => subject.has(termOf(word.toLowerCase())))) sink('name is subject', 1);
  if (/^[A-Z\d]{2,6}$/u.test(from)) sink(joined('capitals only', kind), 1);
};

/** Units, currencies, languages and choices, which may be the source or the target of a conversion. */
const NAMING: ReadonlySet<Source> = new Set<Source>(['named', 'choice', 'near_choice']);
const TEXTUAL: ReadonlySet<string> = new Set('written about rest whole colon object labelled quoted'.split(' '));
const PIXELS: ReadonlySet<string> = new Set(['pixels', 'pixel', 'px', '像素']);
const MARKS = /[/\\%&|<>=${}]|--/u;
