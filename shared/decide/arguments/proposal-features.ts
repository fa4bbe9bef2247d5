import { termOf } from '../../search/text.ts';
import { knownWords } from '../../search/word-vectors.ts';
import { cueOf } from './cues.ts';
import type { Phrase } from './phrases.ts';
import { isKnownPlace } from './places.ts';
import type { Proposal, Source } from './proposal.ts';
import { type Reading, tokenAt } from './reading.ts';
import { partRole, prepositionAt, roleOf, saidRole } from './roles.ts';
import type { Slot } from './slot.ts';

/** What the proposals for a tool's slots are judged in. */
export interface Surroundings {
  readonly reading: Reading;
  readonly slots: readonly Slot[];
  readonly rarity: ReadonlyMap<string, number>;
  /** The terms that the tool is about. */
  readonly subject: ReadonlySet<string>;
  readonly phrases: ReadonlyMap<number, Phrase>;
  readonly weights: Weights;
}

/** A proposal beside the others for its slot and for the other slots. */
export interface Ranked {
  readonly proposal: Proposal;
  /** Its place in the text among those of the same reading. */
  readonly rank: number;
  /** How many others of the same reading there are for the slot. */
  readonly rivals: number;
  /** How many slots could take the same words. */
  readonly homes: number;
}

export type Weights = Readonly<Record<string, number>>;

export type Sink = (feature: string, value: number) => void;

export const describeNone = (slot: Slot, { reading }: Surroundings, sink: Sink): void => {
  const need = slot.required ? 'required' : 'optional';
  sink(`none ${need}`, 1);
  sink(`none ${need} ${classOf(slot)}`, 1);
  if (slot.default !== undefined) sink(`none default ${need}`, 1);
  const named = reading.words.free.some(({ term }) => slot.nameTerms.includes(term));
  if (named) sink(`none named ${need}`, 1);
};

/** What speaks for leaving words unused that were recognised as a value; nothing for words that may be no value at all. */
export const describeUnused = ({ source, from }: Proposal, { subject, reading }: Surroundings, sink: Sink): void => {
  if (!RECOGNISED.has(source)) return;
  sink(`unused ${source}`, 1);
  const terms = from
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .map(termOf)
    .filter((term) => term !== '');
  if (terms.length > 0 && terms.every((term) => subject.has(term))) sink(`unused subject`, 1);
  if (source === 'number' && !/\d/u.test(from)) sink('unused spelled', 1);
  sink('unused of many', Math.min(reading.spans.length, 8) / 8);
};

/** Readings that see a value as such; a phrase may be anything. */
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

/** What is true of a proposal, by name: its reading, the words around it, its place and its own words. */
export const describeProposal = (
  slot: Slot,
  { proposal, rank, rivals, homes }: Ranked,
  around: Surroundings,
  sink: Sink,
): void => {
  const { reading, rarity, slots } = around;
  const need = slot.required ? 'required' : 'optional';
  const { source, own, start } = proposal;
  const kind = classOf(slot);
  sink(`${source} ${kind}`, 1);
  sink(`${source} ${need}`, 1);
  sink(`own ${source}`, own);
  if (proposal.how !== undefined) sink(`how ${proposal.how}`, 1);
  const cue = cueOf(reading, { start, end: proposal.end, text: proposal.from }, slot, rarity);
  sink('cue', cue);
  sink(`cue ${need}`, Math.min(cue, 0.5));
  if (source !== 'phrase') {
    // What was recognised as a value was said for something: for this slot, when no other could take it.
    if (homes === 1) sink(`only home ${need}`, 1);
    if (homes === 1) sink(`only home ${source}`, 1);
    sink(`rivals ${need}`, Math.min(rivals, 4));
  }
  if (source === 'number') describeNumber(slot, proposal, reading, sink);
  describeNeighbours(slot, proposal, reading, sink);
  const role = roleOf(slot) * saidRole(reading, start);
  if (role !== 0) sink(role > 0 ? 'role' : 'role against', 1);
  if (partRole(slot, reading, start) > 0) sink('part', 1);
  const preposition = prepositionAt(reading, start);
  if (preposition !== '') sink(`after ${preposition} ${kind}`, 1);
  const alike = slots.filter((other) => classOf(other) === kind && other.required === slot.required);
  if (alike.length > 1) {
    const place = alike.indexOf(slot);
    sink(place === rank ? `in order ${need}` : `out of order ${need}`, 1);
    if (Math.abs(place - rank) > 1) sink(`far out of order ${need}`, 1);
  } else sink(rank === 0 ? 'first' : 'later', 1);
  if (source === 'phrase') describePhrase(slot, proposal, around, sink);
  else if (source === 'proper') describeName(slot, proposal, around, sink);
  else if (TEXTUAL.has(source)) sink(`long ${source}`, Math.min(proposal.from.length, 200) / 100);
};

const describeNumber = (slot: Slot, { start, end, value, from }: Proposal, { spans }: Reading, sink: Sink): void => {
  const span = spans.find((each) => each.start === start && each.end === end);
  const quantity = span?.quantity;
  if (quantity === undefined) return;
  if (quantity.spelled) sink('spelled', 1);
  if (quantity.spelled && spans.some((other) => other.quantity?.spelled === false)) sink('spelled among digits', 1);
  if (quantity.unit !== undefined && slot.nameTerms.includes(termOf(quantity.unit))) sink('unit is name', 1);
  const year = typeof value === 'number' && value >= 1500 && value <= 2100 && /^\d{4}$/u.test(from);
  const wanted = slot.nameTerms.some((term) => term === 'year' || term === 'season');
  if (year) sink(wanted ? 'year for year' : 'year for other', 1);
  else if (wanted) sink('other for year', 1);
  if (quantity.currency !== undefined) sink('money', 1);
  if (quantity.ordinal) sink('ordinal', 1);
};

/** The slot's own word right before or after, with or without a sign that binds them. */
const describeNeighbours = (slot: Slot, { start, end }: Proposal, { text, tokens }: Reading, sink: Sink): void => {
  let at = tokenAt(tokens, start) - 1;
  while (at >= 0 && /^["'“‘`「(]$/u.test(tokens[at]?.text ?? '')) at--;
  let bound = '';
  while (at >= 0 && BINDING.has(tokens[at]?.lower ?? '')) bound = tokens[at--]?.lower ?? '';
  while (at >= 0 && /^["'”’`」)]$/u.test(tokens[at]?.text ?? '')) at--;
  const before = tokens[at];
  if (before !== undefined && slot.nameTerms.includes(before.term)) {
    const sign = bound === '=' || bound === ':' || bound === '：' ? 'assigned' : bound === '' ? 'beside' : 'bound';
    sink(`${sign} ${slot.nameTerms.length === 1 || before.term === slot.nameTerms.at(-1) ? 'whole' : 'part'}`, 1);
  }
  const after = tokens[tokenAt(tokens, end)];
  if (after !== undefined && /^\s?-?$/u.test(text.slice(end, after.start)) && slot.nameTerms.includes(after.term))
    sink('named after', 1);
};

const describeName = (slot: Slot, { from }: Proposal, { subject }: Surroundings, sink: Sink): void => {
  const kind = classOf(slot);
  if (isKnownPlace(from)) sink(`known place ${kind}`, 1);
  const words = from.split(/\s+/u);
  sink(words.length > 1 ? `several capitals ${kind}` : `one capital ${kind}`, 1);
  if (words.every((word) => subject.has(termOf(word.toLowerCase())))) sink('name is subject', 1);
  if (/^[A-Z\d]{2,6}$/u.test(from)) sink(`capitals only ${kind}`, 1);
};

const describePhrase = (slot: Slot, proposal: Proposal, around: Surroundings, sink: Sink): void => {
  const phrase = around.phrases.get(proposal.start * PLACES + proposal.end);
  if (phrase === undefined) return;
  const kind = classOf(slot);
  const { terms } = phrase;
  sink(`words ${Math.min(terms.length, 4)}`, 1);
  sink(`words ${Math.min(terms.length, 4)} ${kind}`, 1);
  if (phrase.opens) sink('opens', 1);
  if (phrase.closes) sink('closes', 1);
  if (phrase.opens && phrase.closes) sink(`whole ${kind}`, 1);
  sink(`before ${SMALL.has(phrase.before) ? phrase.before : phrase.before === '' ? 'none' : 'other'}`, 1);
  sink(`then ${SMALL.has(phrase.after) ? phrase.after : phrase.after === '' ? 'none' : 'other'}`, 1);
  sink('worth', phrase.worth);
  sink('subject', terms.filter((term) => around.subject.has(term)).length / terms.length);
  if (terms.some((term) => slot.nameTerms.includes(term))) sink('has own name', 1);
  if (terms.some((term) => around.rarity.has(term) && !slot.nameTerms.includes(term))) sink('has other name', 1);
  sink('like name', likeness(terms, slot.nameTerms));
  sink('like examples', slot.examples.length === 0 ? 0 : likeness(terms, exampleTerms(slot)));
  const span = around.reading.spans.find(({ start, end }) => start < proposal.end && proposal.start < end);
  if (span !== undefined) {
    const inside = span.start <= proposal.start && proposal.end <= span.end;
    sink(
      inside
        ? span.end - span.start > proposal.end - proposal.start
          ? 'inside a span'
          : 'same as a span'
        : 'over a span',
      1,
    );
  }
};

/** The nearest that two lists of words come. */
const likeness = (terms: readonly string[], others: readonly string[]): number => {
  const words = knownWords();
  let best = 0;
  for (const term of terms) for (const other of others) best = Math.max(best, words.similarity(term, other));
  return best;
};

const exampleTerms = (slot: Slot): readonly string[] => {
  const known = examples.get(slot);
  if (known !== undefined) return known;
  const made = slot.examples
    .slice(0, 8)
    .flatMap((example) =>
      example
        .toLowerCase()
        .split(/[^\p{L}]+/u)
        .map(termOf),
    )
    .filter((term) => term !== '');
  examples.set(slot, made);
  return made;
};
const examples = new WeakMap<Slot, readonly string[]>();

/** What a slot is, for the weights: its type, or the kind of its string. */
const classOf = (slot: Slot): string => {
  if (slot.choices.length > 0) return 'choice';
  return slot.type === 'string' || slot.type === 'any' ? slot.kind : slot.type === 'integer' ? 'number' : slot.type;
};

/** Longer than any text that is read, so that a start and an end make one number. */
export const PLACES = 16_384;
const TEXTUAL: ReadonlySet<string> = new Set('written about rest whole colon object labelled quoted'.split(' '));
const BINDING: ReadonlySet<string> = new Set(
  'is are be of as to = : ： should named called titled being was equal equals'.split(' '),
);
const SMALL: ReadonlySet<string> = new Set(
  'a an the my your his her its our their this of in on at for from to with by about and or as is are was into 的 把 将 从 到 在 给 用 成 为 和 是 有 多少 了 我 请'.split(
    ' ',
  ),
);
