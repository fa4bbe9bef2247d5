import { englishWordsOf } from '../../search/chinese.ts';
import { currencyCode, languageCode, languageName } from './codes.ts';
import { contextOf } from './cues.ts';
import type { Proposal } from './proposal.ts';
import { type Reading, tokenAt } from './reading.ts';
import { roleOf, saidRole } from './roles.ts';
import type { Slot } from './slot.ts';
import { sameMeasure } from './units.ts';

/** Currencies, languages and units that the text names, for a slot that asks for them. */
export const namedValues = (slot: Slot, reading: Reading): readonly Proposal[] => {
  const { kind } = slot;
  if (kind !== 'currency' && kind !== 'language' && kind !== 'unit') return [];
  const mentions = mentionsIn(kind, reading);
  const counted = mentions.find((mention) => isMeasuring(mention, reading));
  return mentions.flatMap((mention) => {
    // If several numbers have units, none of these is the unit of the answer.
    if (
      kind === 'unit' &&
      !slot.required &&
      roleOf(slot) === 0 &&
      isMeasuring(mention, reading) &&
      measured(reading) > 1
    )
      return [];
    // A unit of another measure than the default is not meant: kilometres of a distance are not a speed.
    if (
      kind === 'unit' &&
      !slot.required &&
      typeof slot.default === 'string' &&
      !sameMeasure(mention.text, slot.default)
    )
      return [];
    // Without `from` and `to`, the unit with the number is the source of the conversion.
    const role = roleOf(slot);
    const said = saidRole(reading, mention.start) || (counted === undefined ? 0 : mention === counted ? 1 : -1);
    return [
      {
        value: mention.write(slot),
        start: mention.start,
        end: mention.start + mention.text.length,
        from: mention.text,
        source: 'named' as const,
        own: 0.6 + 0.3 * role * said - (kind === 'unit' && !isUnitFor(slot, mention, reading) ? 0.5 : 0),
        how: 'code' as const,
        shares: true as const,
      },
    ];
  });
};

const isMeasuring = ({ start }: Mention, { text }: Reading): boolean =>
  /\d\s*°?\s*(?:degrees?\s)?$/iu.test(text.slice(0, start));

const measured = ({ spans }: Reading): number => spans.filter(({ quantity }) => quantity?.unit !== undefined).length;

const mentionsIn = (kind: keyof typeof MENTIONS, reading: Reading): readonly Mention[] => {
  const known = found.get(reading) ?? {};
  found.set(reading, known);
  known[kind] ??= MENTIONS[kind](reading);
  return known[kind];
};
// Cached, because every slot of every candidate asks for them.
const found = new WeakMap<Reading, Partial<Record<keyof typeof MENTIONS, readonly Mention[]>>>();

/** Whether a unit is meant for the slot, and does not only measure some value of the task. */
const isUnitFor = (slot: Slot, { start, text }: Mention, reading: Reading): boolean => {
  if (
    !slot.required &&
    slot.examples.length >= 2 &&
    !slot.examples.some((example) => singular(example) === singular(text))
  )
    return false;
  if (slot.required || /\b(?:in|into|to|as)\s$/iu.test(reading.text.slice(0, start))) return true;
  const around = contextOf(reading, { start, end: start + text.length, text });
  return around.some(({ term }) => slot.descriptionTerms.includes(term));
};

interface Mention {
  readonly start: number;
  readonly text: string;
  readonly write: (slot: Slot) => string;
}

const wordsIn = (
  reading: Reading,
  lookUp: (words: string, before: string) => ((slot: Slot) => string) | undefined,
): readonly Mention[] => {
  const { tokens, text } = reading;
  const mentions: Mention[] = [];
  for (let at = 0; at < tokens.length; at++) {
    for (let length = LONGEST; length > 0; length--) {
      const [first, last] = [tokens[at], tokens[at + length - 1]];
      if (first === undefined || last === undefined || !first.isWord) continue;
      const said = text.slice(first.start, last.end);
      const write = lookUp(said, text.slice(Math.max(0, first.start - 12), first.start));
      if (write === undefined) continue;
      mentions.push({ start: first.start, text: said, write });
      at = tokenAt(tokens, last.end) - 1;
      break;
    }
  }
  return mentions;
};

const currencies = (reading: Reading): readonly Mention[] =>
  wordsIn(reading, (said, before) => {
    const code = currencyCode(said);
    // `dollars` after a nationality that no known currency has are not those of another country.
    return code === undefined || NATIONAL.test(before) ? undefined : () => code;
  });

const languages = (reading: Reading): readonly Mention[] =>
  wordsIn(reading, (said, before) => {
    const code = languageCode(said);
    // `polish` and `even` are also ordinary words: in lower case a language needs a preposition before it.
    if (code === undefined || (/^\p{Ll}/u.test(said) && !/\b(?:to|into|in|from)\s$/iu.test(before))) return undefined;
    return (slot) => {
      if (/\bcode\b|iso|'[a-z]{2}'|代码/iu.test(slot.description)) return code;
      return HAN.test(said) && !HAN.test(slot.name + slot.description) ? languageName(code) : said;
    };
  });

const units = (reading: Reading): readonly Mention[] =>
  unitsIn(reading).filter(({ start, text }) => !isDegreeOf(text, reading.text.slice(start + text.length)));

/** In `350 degrees fahrenheit` the unit is `fahrenheit`, and `degrees` is not another one. */
const isDegreeOf = (unit: string, after: string): boolean =>
  /^degrees?$/iu.test(unit) && /^\s(?:celsius|fahrenheit|kelvin|[CFK]\b)/iu.test(after);

const unitsIn = (reading: Reading): readonly Mention[] =>
  wordsIn(reading, (said, before) => {
    if (SYMBOL.test(said))
      return /\d\s?°?\s?(?:degrees?\s)?$|\b(?:to|into|in)\s$/iu.test(before) ? () => said : undefined;
    const english = HAN.test(said) ? englishWordsOf(said).find((word) => UNIT_WORDS.has(word)) : undefined;
    if (english !== undefined) return (slot) => (HAN.test(slot.name + slot.description) ? said : english);
    return UNIT_WORDS.has(singular(said)) || UNIT_WORDS.has(said.toLowerCase()) ? () => said.toLowerCase() : undefined;
  });

const MENTIONS = { currency: currencies, language: languages, unit: units };

const singular = (said: string): string => said.toLowerCase().replace(/s$/u, '');

const NATIONAL = /\p{Lu}\p{Ll}+(?:an|ese|ish|i)\s$/u;
const HAN = /\p{Script=Han}/u;
const LONGEST = 5;
const SYMBOL = /^[CFK]$/u;

const UNIT_WORDS: ReadonlySet<string> = new Set(
  `meter metre kilometer kilometre centimeter millimeter mile foot feet inche inch yard km cm mm mi kilogram gram kg pound lb ounce
  ton liter litre gallon milliliter cup tablespoon teaspoon second minute hour day week month year celsiu celsius fahrenheit kelvin
  degree radian joule calorie kilocalorie watt volt newton pascal byte kilobyte megabyte gigabyte terabyte metric imperial
  mg oz ml kb mb gb tb kwh mph kph km/h m/s mi/h ft/s stone acre hectare knot`.split(/\s+/u),
);
