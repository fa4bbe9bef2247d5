import { contextOf } from './cues.ts';
import type { Extraction } from './extract.ts';
import { type Reading, tokenAt } from './reading.ts';
import { roleOf, saidRole } from './roles.ts';
import type { Slot } from './slot.ts';

/** Currencies, languages and units that the text names, for the slots that ask for them. */
export const namedValues = (slots: readonly Slot[], reading: Reading): ReadonlyMap<string, Extraction> => {
  const found = new Map<string, Extraction>();
  for (const kind of ['currency', 'language', 'unit'] as const) {
    const asking = slots.filter((slot) => slot.kind === kind && slot.type === 'string' && slot.choices.length === 0);
    if (asking.length === 0) continue;
    const mentions = MENTIONS[kind](reading);
    for (const [at, slot] of asking.entries()) {
      const mention =
        byRole(slot, mentions, reading) ??
        (asking.length === 1 || mentions.length >= asking.length ? mentions[at] : undefined);
      if (mention === undefined || (kind === 'unit' && !isUnitFor(slot, mention, reading))) continue;
      found.set(slot.name, { value: mention.write(slot), confidence: 0.75, from: mention.text });
    }
  }
  return found;
};

/** By from and to; of two without such words, the one with the number is what there is to convert. */
const byRole = (slot: Slot, mentions: readonly Mention[], reading: Reading): Mention | undefined => {
  const own = roleOf(slot);
  if (own === 0) return undefined;
  const said = mentions.find(({ start }) => saidRole(reading, start) === own);
  const counted = mentions.find(({ start }) => /\d\s*$/u.test(reading.text.slice(0, start)));
  if (said !== undefined || counted === undefined || mentions.length !== 2) return said;
  return own === 1 ? counted : mentions.find((mention) => mention !== counted);
};

/** A unit that only measures a value is no wish for the answer, unless the slot is about that value. */
const isUnitFor = (slot: Slot, { start, text }: Mention, reading: Reading): boolean => {
  if (slot.examples.length >= 2 && !slot.examples.some((example) => singular(example) === singular(text))) return false;
  if (slot.required || /\b(?:in|into|to|as)\s$/iu.test(reading.text.slice(0, start))) return true;
  const around = contextOf(reading, { kind: 'phrase', start, end: start + text.length, text });
  return around.some(({ term }) => slot.descriptionTerms.includes(term));
};

interface Mention {
  readonly start: number;
  readonly text: string;
  readonly write: (slot: Slot) => string;
}

const wordsIn = (
  reading: Reading,
  lookUp: (words: string) => ((slot: Slot) => string) | undefined,
): readonly Mention[] => {
  const { tokens, text } = reading;
  const mentions: Mention[] = [];
  for (let at = 0; at < tokens.length; at++) {
    for (let length = 3; length > 0; length--) {
      const [first, last] = [tokens[at], tokens[at + length - 1]];
      if (first === undefined || last === undefined || !first.isWord) continue;
      const said = text.slice(first.start, last.end);
      const write = lookUp(said);
      if (write === undefined) continue;
      mentions.push({ start: first.start, text: said, write });
      at = tokenAt(tokens, last.end) - 1;
      break;
    }
  }
  return mentions;
};

const currencies = (reading: Reading): readonly Mention[] =>
  wordsIn(reading, (said) => {
    const code =
      /^[A-Z]{3}$/u.test(said) && currencyCodes().codes.has(said) ? said : currencyCodes().names.get(singular(said));
    return code === undefined ? undefined : () => code;
  });

const languages = (reading: Reading): readonly Mention[] =>
  wordsIn(reading, (said) => {
    const code = languageCodes().get(said.toLowerCase());
    if (code === undefined || !/^\p{Lu}/u.test(said)) return undefined;
    return (slot) => (/\bcode\b|iso|'[a-z]{2}'/iu.test(slot.description) ? code : said);
  });

const units = (reading: Reading): readonly Mention[] =>
  wordsIn(reading, (said) => (UNIT_WORDS.has(singular(said)) ? () => said.toLowerCase() : undefined));

const MENTIONS = { currency: currencies, language: languages, unit: units };

const singular = (said: string): string => said.toLowerCase().replace(/s$/u, '');

const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const currencyCodes = lazily(() => {
  const display = new Intl.DisplayNames(['en'], { type: 'currency' });
  const codes = Intl.supportedValuesOf('currency');
  const names = new Map(codes.map((code) => [(display.of(code) ?? code).toLowerCase(), code]));
  const usual = {
    dollar: 'USD',
    euro: 'EUR',
    pound: 'GBP',
    yen: 'JPY',
    yuan: 'CNY',
    renminbi: 'CNY',
    rupee: 'INR',
    franc: 'CHF',
    bitcoin: 'BTC',
    美元: 'USD',
    人民币: 'CNY',
    欧元: 'EUR',
    日元: 'JPY',
    英镑: 'GBP',
  };
  for (const [name, code] of Object.entries(usual)) names.set(name, code);
  for (const [name, code] of [...names]) if (name.startsWith('us ')) names.set(name.replace('us ', 'american '), code);
  return { codes: new Set(codes), names };
});

const languageCodes = lazily(() => {
  const display = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((one) => letters.map((two) => one + two));
  return new Map(
    codes.flatMap((code) =>
      display.of(code) === undefined ? [] : [[(display.of(code) ?? '').toLowerCase(), code] as const],
    ),
  );
});

const UNIT_WORDS: ReadonlySet<string> = new Set(
  `meter metre kilometer kilometre centimeter millimeter mile foot feet inche inch yard km cm mm mi kilogram gram kg pound lb ounce
  ton liter litre gallon milliliter cup tablespoon teaspoon second minute hour day week month year celsiu celsius fahrenheit kelvin
  degree radian joule calorie kilocalorie watt volt newton pascal byte kilobyte megabyte gigabyte metric imperial`.split(
    /\s+/u,
  ),
);
