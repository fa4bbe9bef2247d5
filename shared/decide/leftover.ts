import type { Profile } from '../search/profile.ts';
import { termOf } from '../search/text.ts';
import { knownWords, numbersOf } from '../search/word-vectors.ts';
import type { Extraction } from './arguments/extract.ts';
import { overlap } from './arguments/proposal.ts';
import type { Reading } from './arguments/reading.ts';
import type { Slot } from './arguments/slot.ts';
import { tellingWords } from './telling-words.ts';

/** Features of what a request says that a drafted call does not cover. */
export interface Leftover {
  /** The total weight of the words that are neither in a value nor in the tool's text. */
  readonly unexplained: number;
  /** The largest weight among them. */
  readonly rarest: number;
  /** The share of unknown words outside values: a request in another language is only half understood. */
  readonly foreign: number;
  /** The largest weight of words that match one open parameter, without words of the tool's purpose. */
  readonly hinted: number;
  /** The number of open parameters with such words. */
  readonly hints: number;
  /** The total and the largest weight of the words of the tool's name that no word of the request is similar to. */
  readonly unsaid: number;
  readonly mostUnsaid: number;
  /** The highest similarity of an unexplained word to the tool's purpose: `freezing` for a tool about `boiling`. */
  readonly sibling: number;
  /** The total weight of unexplained words, less for words similar to the tool's purpose. */
  readonly far: number;
  /** The same for the first words outside values, which mostly say what to do. */
  readonly opening: number;
  /** The number of unexplained words right beside a value: `river` after `Mississippi` may belong to it. */
  readonly beside: number;
  /** The number of pairs of values that were taken from the same words. */
  readonly twice: number;
  /** The number of unexplained words with a capital, which are mostly names. */
  readonly capitals: number;
  /** The highest weighted similarity of a word outside values to the name of an open parameter. */
  readonly near: number;
  /** The number of days without a known year if a date is open: `on March 14th` when today is not known. */
  readonly undated: number;
}

/** `found` has the values of the call; `isExplained` holds for words that chose the tool in another way. */
export const leftoverOf = (
  { all, purpose, name }: Profile,
  slots: readonly Slot[],
  found: ReadonlyMap<string, Extraction>,
  reading: Reading,
  isExplained: (word: string) => boolean = () => false,
): Leftover => {
  const values = [...found.values()];
  const said = tellingWords(reading).filter(
    ({ lower, start, end }) =>
      !isExplained(lower) && !values.some(({ at }) => at !== undefined && at.start < end && start < at.end),
  );
  const worths = new Map(said.map(({ term, worth }) => [term, worth]));
  const unknown = [...worths].flatMap(([term, worth]) => (all.has(term) ? [] : [worth]));
  const subject = new Set(purpose.map(({ term }) => term));
  const hints = slots
    .filter(({ name }) => !found.has(name))
    .map((slot) => {
      let sum = 0;
      for (const term of termsOfSlot(slot)) if (!subject.has(term)) sum += worths.get(term) ?? 0;
      return sum;
    });
  const known = knownWords();
  const numbers = numbersSaid(reading);
  const unsaid = name.map((term) => {
    const number = known.number(term);
    // Words that are not known, such as `piqe`, are not expected in a request.
    if (number === undefined) return 0;
    let nearest = 0;
    for (const word of numbers) nearest = Math.max(nearest, known.between(number, word));
    return known.worth(term) * (1 - nearest);
  });
  let sibling = 0;
  const distances = new Map<string, number>();
  for (const [term, worth] of worths) {
    const isOwn = all.has(term);
    const nearest = isOwn ? 1 : nearestOf(term, purpose);
    distances.set(term, worth * (1 - nearest));
    if (!isOwn && worth >= TELLING) sibling = Math.max(sibling, nearest);
  }
  const opening = said.slice(0, OPENING).reduce((sum, { term }) => sum + (distances.get(term) ?? 0), 0);
  const unexplained = said.filter(({ term }) => !all.has(term));
  const touching = unexplained.filter(({ start, end }) =>
    values.some(
      ({ at }) =>
        at !== undefined && (isJoin(reading.text.slice(at.end, start)) || isJoin(reading.text.slice(end, at.start))),
    ),
  );
  const places = values.flatMap(({ at, how }) => (at === undefined || how === 'list' ? [] : [at]));
  const openNames = slots.filter(({ name }) => !found.has(name)).flatMap(({ nameTerms }) => nameTerms);
  let near = 0;
  for (const [term, worth] of worths) if (!subject.has(term)) near = Math.max(near, worth * nearestTo(term, openNames));
  const hasOpenDate = slots.some(({ name, kind }) => !found.has(name) && (kind === 'date' || kind === 'datetime'));
  const undated = reading.spans.filter(({ moment }) => moment?.precision === 'day' && moment.day === undefined);
  return {
    undated: hasOpenDate ? undated.length : 0,
    far: [...distances.values()].reduce((sum, distance) => sum + distance, 0),
    opening,
    beside: touching.length,
    twice: places.filter((one, at) => places.some((two, other) => other > at && overlap(one, two))).length,
    capitals: unexplained.filter(({ start }) => start > 0 && /\p{Lu}/u.test(reading.text.charAt(start))).length,
    near,
    unsaid: unsaid.reduce((sum, worth) => sum + worth, 0),
    mostUnsaid: Math.max(0, ...unsaid),
    sibling,
    unexplained: unknown.reduce((sum, worth) => sum + worth, 0),
    rarest: Math.max(0, ...unknown),
    foreign: said.length === 0 ? 0 : said.filter(({ term }) => known.number(term) === undefined).length / said.length,
    hinted: Math.max(0, ...hints),
    hints: hints.filter((hint) => hint >= TELLING).length,
  };
};

const TELLING = 0.3;
/** How many of the first words count as the opening. */
const OPENING = 3;

/** The highest similarity of a word to the words of the tool's purpose. */
const nearestOf = (term: string, purpose: Profile['purpose']): number => {
  const number = knownWords().number(term) ?? -1;
  let nearest = 0;
  for (const own of purpose) nearest = Math.max(nearest, knownWords().between(number, own.number));
  return nearest;
};

/** The highest similarity of a word to a list of words; 1 for the same word, even if it is not known. */
const nearestTo = (term: string, others: readonly string[]): number => {
  if (others.includes(term)) return 1;
  const number = knownWords().number(term) ?? -1;
  let nearest = 0;
  for (const other of numbersOf(others)) nearest = Math.max(nearest, knownWords().between(number, other));
  return nearest;
};

/** The vocabulary numbers of a request's words; -1 for all unknown ones. */
const numbersSaid = ({ words }: Reading): ReadonlySet<number> =>
  new Set(words.all.map(({ term }) => knownWords().number(term) ?? -1));

const isJoin = (text: string): boolean => text === ' ' || text === '-' || text === "' " || text === '" ';

/** The terms that a request may use for a parameter: those of its name, description and choices. */
const termsOfSlot = (slot: Slot): ReadonlySet<string> => {
  const known = slotTerms.get(slot);
  if (known !== undefined) return known;
  const choices = slot.choices.flatMap(({ phrases }) =>
    phrases.flatMap((phrase) => phrase.toLowerCase().split(/\W+/u)),
  );
  const terms = new Set([...slot.nameTerms, ...slot.descriptionTerms, ...choices.map(termOf)]);
  terms.delete('');
  slotTerms.set(slot, terms);
  return terms;
};
const slotTerms = new WeakMap<Slot, ReadonlySet<string>>();
