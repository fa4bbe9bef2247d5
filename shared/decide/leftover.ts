import type { Profile } from '../search/profile.ts';
import { termOf } from '../search/text.ts';
import { knownWords } from '../search/word-vectors.ts';
import type { Extraction } from './arguments/extract.ts';
import type { Reading } from './arguments/reading.ts';
import type { Slot } from './arguments/slot.ts';
import { tellingWords } from './telling-words.ts';

/** What a request says that a drafted call does not have. */
export interface Leftover {
  /** What the words count together that are neither in a value nor in the tool's text. */
  readonly unexplained: number;
  /** What the rarest of them counts. */
  readonly rarest: number;
  /** The share of the words outside values that no English text has: what is said in another language is half understood. */
  readonly foreign: number;
  /** The most that words speak for a parameter that was left open, words of the tool's purpose aside. */
  readonly hinted: number;
  /** How many open parameters the request has such words for. */
  readonly hints: number;
  /** What the words of the tool's name count together, and the most telling of them, that the request comes nowhere near. */
  readonly unsaid: number;
  readonly mostUnsaid: number;
  /** How near an unexplained word comes to what the tool is about: `freezing` beside `boiling` asks for another thing. */
  readonly sibling: number;
}

/** `found` are the values of the call, `slots` its parameters; `isExplained` knows words that chose the tool otherwise. */
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
  const unsaid = name.map((term) => {
    // Nobody asks for a picture's quality by the word `piqe`.
    if (known.number(term) === undefined) return 0;
    let nearest = 0;
    for (const word of reading.words.all) nearest = Math.max(nearest, known.similarity(term, word.term));
    return known.worth(term) * (1 - nearest);
  });
  let sibling = 0;
  for (const [term, worth] of worths)
    if (!all.has(term) && worth >= TELLING)
      for (const own of subject) sibling = Math.max(sibling, known.similarity(term, own));
  return {
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

/** The words that a request may have for a parameter: its name, its description and the values on offer. */
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
