import { termOf } from '../../search/text.ts';
import { knownWords, numbersOf } from '../../search/word-vectors.ts';
import { PLACES, perReading, type Reading, tokenAt } from './reading.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import type { Token } from './tokens.ts';

/** How strongly the words around a span name a slot, from 0 to 2. `rarity` weighs words by how few slots have them. */
export const cueOf = (reading: Reading, span: Place, slot: Slot, rarity: ReadonlyMap<string, number>): number => {
  let sum = 0;
  let best = 0;
  const known = matchesOf(reading, slot);
  for (const { term, weight } of contextOf(reading, span)) {
    const match = weight * termMatch(term, slot, rarity, known);
    sum += match;
    best = Math.max(best, match);
  }
  return Math.min(2, best + (sum - best) * 0.5 + ownWord(span, slot, rarity));
};

/** The cue from a name's own words: `Premier League` is a league and `Plaza Hotel` a hotel. */
const ownWord = (span: Place, slot: Slot, rarity: ReadonlyMap<string, number>): number => {
  const words = nameWords(span.text);
  if (words.length < 2) return 0;
  // `Sai Kong Subdistrict` fits sub_district better than district.
  if (slot.nameTerms.some((term, at) => words.includes(`${term}${slot.nameTerms[at + 1]}`))) return 1.2;
  // `Chatuchak District` is a district, whatever words are around it.
  if (slot.kind === 'place' && slot.nameTerms.includes(words.at(-1) ?? '')) return 1.2;
  const own = slot.nameTerms.find((term) => words.includes(term));
  return own === undefined ? 0 : 0.8 * (rarity.get(own) ?? 1);
};

/** The terms of a text that begins with a capital; none for other texts. */
const nameWords = (text: string): readonly string[] => {
  if (!/^\p{Lu}/u.test(text)) return NONE;
  const known = nameLists.get(text);
  if (known !== undefined) return known;
  const words = text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .map((word) => termOf(word));
  if (nameLists.size >= NAME_LISTS) nameLists.clear();
  if (text.length <= NAME_LENGTH) nameLists.set(text, words);
  return words;
};
const NONE: readonly string[] = [];
const nameLists = new Map<string, readonly string[]>();
const NAME_LISTS = 1024;
const NAME_LENGTH = 100;

/** For each term of the slots' names, 1 over the number of slots with it: a term they all have distinguishes none. */
export const slotRarity = (slots: readonly Slot[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const slot of slots) {
    for (const term of new Set(slot.nameTerms)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return new Map(Array.from(counts, ([term, count]) => [term, 1 / count]));
};

const termMatch = (
  term: string,
  slot: Slot,
  rarity: ReadonlyMap<string, number>,
  known: Map<string, Match>,
): number => {
  let match = known.get(term);
  if (match === undefined) {
    match = readMatch(term, slot);
    known.set(term, match);
  }
  return match.alike ? match.worth : match.worth === 0 ? 0 : match.worth * (rarity.get(term) ?? 1);
};

/** Cached for each slot, because the same words stand around many spans of a request. */
const matchesOf = (reading: Reading, slot: Slot): Map<string, Match> => {
  const slots = matches(reading);
  let known = slots.get(slot);
  if (known === undefined) {
    known = new Map();
    slots.set(slot, known);
  }
  return known;
};
const matches = perReading(() => new Map<Slot, Map<string, Match>>());

/** How strongly a word matches a slot; `alike` if it matches by a group of `ALIKE`, where rarity does not count. */
interface Match {
  readonly worth: number;
  readonly alike: boolean;
}

const readMatch = (term: string, slot: Slot): Match => {
  // `title` is the whole name of the slot Title, but half of MetaTitle.
  if (slot.nameTerms.includes(term)) return { worth: 0.6 + 0.4 / slot.nameTerms.length, alike: false };
  if (slot.descriptionTerms.includes(term)) return { worth: 0.5, alike: false };
  if (ALIKE.some((group) => group.has(term) && slot.nameTerms.some((own) => group.has(own))))
    return { worth: 0.8, alike: true };
  const best = nearName(term, slot.nameTerms);
  return { worth: best > 0.1 ? best : 0, alike: false };
};

/** How similar a word is to a slot's name, by a common prefix or by meaning. */
const nearName = (term: string, names: readonly string[]): number => {
  const words = knownWords();
  const number = words.number(term) ?? -1;
  const numbers = numbersOf(names);
  let best = 0;
  for (let at = 0; at < names.length; at++) {
    const own = names[at] as string;
    if (own.length >= 4 && term.length >= 4 && (own.startsWith(term) || term.startsWith(own)))
      best = Math.max(best, 0.7);
    else best = Math.max(best, (words.between(number, numbers[at] as number) - 0.45) * 1.1);
  }
  return best;
};

interface ContextTerm {
  readonly term: string;
  readonly weight: number;
}

/** The content words before a span in its sentence and just after it, with higher weights for nearer ones. */
export const contextOf = (reading: Reading, span: Place): readonly ContextTerm[] => {
  const known = contexts.get(reading) ?? new Map<number, readonly ContextTerm[]>();
  contexts.set(reading, known);
  const key = span.start * PLACES + span.end;
  const before = known.get(key);
  if (before !== undefined) return before;
  const context = readContext(reading, span);
  known.set(key, context);
  return context;
};

type Place = Pick<Span, 'start' | 'end' | 'text'>;

// Cached, because every slot of every candidate asks for the context of the same spans.
const contexts = new WeakMap<Reading, Map<number, readonly ContextTerm[]>>();

const readContext = (reading: Reading, span: Place): readonly ContextTerm[] => [
  ...termsBefore(reading, span),
  ...termsAfter(reading, span),
];

const termsBefore = ({ tokens, spans }: Reading, span: Place): readonly ContextTerm[] => {
  const context: ContextTerm[] = [];
  let weight = 1;
  for (let at = tokenAt(tokens, span.start) - 1; at >= 0 && weight > 0.2; at--) {
    const token = tokens[at];
    if (token === undefined || SENTENCE_END.test(token.text)) break;
    // Words before another value mostly belong to that one; they still count half, because both may be in one list.
    if (spans.some((other) => other.end === token.end && other.start !== span.start)) weight *= 0.5;
    if (!token.isWord || isUnitOf(spans, token)) continue;
    if (token.isSmall && token.lower.length < 6) continue;
    context.push({ term: token.term, weight });
    weight *= 0.7;
  }
  return context;
};

const termsAfter = ({ tokens }: Reading, span: Place): readonly ContextTerm[] => {
  const context: ContextTerm[] = [];
  let weight = 0.9;
  for (let at = tokenAt(tokens, span.end); at < tokens.length && weight > 0.4; at++) {
    const token = tokens[at];
    if (token?.text === '-' && token.start === span.end) continue;
    const small = token?.isSmall === true;
    // A stop word ends the context, except in phrases such as `as the director`.
    if (token === undefined || !token.isWord || (small && !AFTER.has(token.lower))) break;
    if (small) continue;
    context.push({ term: token.term, weight });
    weight *= 0.7;
  }
  return context;
};

/** Groups of words that name the same parameter. */
const ALIKE: readonly ReadonlySet<string>[] = [
  'peopl person adult passeng guest seat travel ticket attende occup'.split(' '),
  'unit item piec copi quantiti count'.split(' '),
  'rate score star review grade'.split(' '),
  'messag bodi content text'.split(' '),
].map((list) => new Set(list));
/** Whether a word is the unit of a number before it: `bedroom` in `2-bedroom, 1-bathroom` belongs to the 2. */
const isUnitOf = (spans: readonly Span[], token: Token): boolean =>
  spans.some(({ end, quantity }) => quantity?.unit === token.lower && token.start >= end && token.start <= end + 1);

const AFTER: ReadonlySet<string> = new Set(['as', 'the', 'a', 'an', 'is', 'for']);
const SENTENCE_END = /^[.!?。！？\n;]$/u;
