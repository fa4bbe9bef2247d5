import { termOf } from '../../search/text.ts';
import { knownWords, numbersOf } from '../../search/word-vectors.ts';
import { classOf, joined } from './feature-names.ts';
import type { Phrase } from './phrases.ts';
import type { Proposal } from './proposal.ts';
import type { Sink, Surroundings } from './proposal-features.ts';
import { PLACES, perReading, type Reading } from './reading.ts';
import type { Slot } from './slot.ts';

/** Features of words that nothing marks as a value: their number, context and similarity to the slot. */
export const describePhrase = (slot: Slot, proposal: Proposal, around: Surroundings, sink: Sink): void => {
  const phrase = around.phrases.get(proposal.start * PLACES + proposal.end);
  if (phrase === undefined) return;
  const kind = classOf(slot);
  const { terms } = phrase;
  const { reading } = around;
  const { count, hasOf, before, then, goesOn, beside } = standingOf(phrase, reading);
  sink(count, 1);
  sink(joined(count, kind), 1);
  if (hasOf) sink('of inside', 1);
  if (phrase.opens) sink('opens', 1);
  if (phrase.closes) sink('closes', 1);
  if (phrase.opens && phrase.closes) sink(joined('whole', kind), 1);
  sink(before, 1);
  sink(then, 1);
  sink('worth', phrase.worth);
  let known = 0;
  for (const term of terms) if (around.subject.has(term)) known++;
  sink('subject', known / terms.length);
  if (terms.some((term) => slot.nameTerms.includes(term))) sink('has own name', 1);
  if (terms.some((term) => around.rarity.has(term) && !slot.nameTerms.includes(term))) sink('has other name', 1);
  sink('like name', likeness(terms, slot.nameTerms, reading));
  if (slot.examples.length > 0) sink('like examples', likeness(terms, exampleTerms(slot), reading));
  // In `echo %time%` and `start https://...` the phrase is only the beginning of the text.
  if (goesOn) sink('goes on', 1);
  if (beside !== undefined) sink(beside, 1);
};

/** The features of a phrase's context, cached because they are the same for every slot. */
const standingOf = (phrase: Phrase, { text, spans }: Reading): Standing => {
  const known = standings.get(phrase);
  if (known !== undefined) return known;
  const goesOn = GOES_ON.test(text.slice(phrase.end, phrase.end + 12));
  const span = spans.find(({ start, end }) => start < phrase.end && phrase.start < end);
  const standing = {
    count: WORDS[Math.min(phrase.terms.length, 4)] ?? '',
    hasOf: OF.test(phrase.text),
    before: joined('before', smallWord(phrase.before)),
    then: joined('then', smallWord(phrase.after)),
    goesOn,
    beside: span && besideOf(span, phrase),
  };
  standings.set(phrase, standing);
  return standing;
};

const besideOf = (span: Place, phrase: Place): string => {
  if (span.start > phrase.start || phrase.end > span.end) return 'over a span';
  return span.end - span.start > phrase.end - phrase.start ? 'inside a span' : 'same as a span';
};

const smallWord = (word: string): string => (SMALL.has(word) ? word : word === '' ? 'none' : 'other');

interface Standing {
  readonly count: string;
  readonly hasOf: boolean;
  readonly before: string;
  readonly then: string;
  readonly goesOn: boolean;
  readonly beside: string | undefined;
}
type Place = Pick<Phrase, 'start' | 'end'>;
const standings = new WeakMap<Phrase, Standing>();

/** The highest similarity between words of two lists. */
const likeness = (terms: readonly string[], others: readonly string[], reading: Reading): number => {
  const lists = likenesses(reading);
  let known = lists.get(others);
  if (known === undefined) {
    known = new Map();
    lists.set(others, known);
  }
  let best = 0;
  for (const term of terms) {
    let nearest = known.get(term);
    if (nearest === undefined) {
      nearest = nearestOf(term, others);
      known.set(term, nearest);
    }
    if (nearest > best) best = nearest;
  }
  return best;
};

const nearestOf = (term: string, others: readonly string[]): number => {
  if (others.includes(term)) return 1;
  const words = knownWords();
  const number = words.number(term) ?? -1;
  let nearest = 0;
  for (const other of numbersOf(others)) nearest = Math.max(nearest, words.between(number, other));
  return nearest;
};
const likenesses = perReading(() => new Map<readonly string[], Map<string, number>>());

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

const OF = / of /u;
const GOES_ON = /^\s(?:[%/\\&|<>=${}~]|--?\w|\p{L}+:\/\/)/u;
const WORDS = ['words 0', 'words 1', 'words 2', 'words 3', 'words 4'];
const SMALL: ReadonlySet<string> = new Set(
  'a an the my your his her its our their this of in on at for from to with by about and or as is are was into 的 把 将 从 到 在 给 用 成 为 和 是 有 多少 了 我 请'.split(
    ' ',
  ),
);
