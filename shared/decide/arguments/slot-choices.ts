import type { JsonSchema } from '../../kernel/json.ts';
import type { Choice } from './slot.ts';

/** Enum values, and values that a description explains: `'asc' for ascending`, `1 for Bangkok`, `English (EN)`. */
export const choicesOf = (schema: JsonSchema, description: string): readonly Choice[] => {
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  const explained = explanations(description);
  if (values.length > 0) {
    return values.map((value) => ({
      value,
      phrases: [
        String(value),
        ...explained.filter(([key]) => sameText(key, String(value))).map(([, phrase]) => phrase),
        ...explainedAs(String(value), description),
      ],
    }));
  }
  const numeric = schema.type === 'integer' || schema.type === 'number';
  const usable = explained.filter(([key]) => !numeric || /^-?\d+(?:\.\d+)?$/u.test(key));
  // `from 0 to 100, where 0 is mute` explains a range, not choices.
  if (usable.length < 2 || schema.type === 'array' || (numeric && RANGE.test(description))) return [];
  return usable.map(([key, phrase]) => ({
    value: numeric ? Number(key) : key,
    phrases: numeric ? [phrase] : [key, phrase],
  }));
};

const RANGE = /\brang(?:e|es|ing)\b|\b(?:from|between) -?[\d.]+ (?:to|and) -?[\d.]+/iu;

/** The explanation of an enum value, which needs no quotes: `price_asc for cheapest first`. */
const explainedAs = (value: string, description: string): readonly string[] => {
  const place = description.search(new RegExp(`(?<![\\w'"-])${RegExp.escape(value)}(?![\\w-])`, 'u'));
  if (place < 0) return [];
  const phrase = EXPLAINED.exec(description.slice(place + value.length))?.[1]?.trim();
  return phrase === undefined ? [] : [phrase];
};
const EXPLAINED =
  /^\s?(?:for|means|is for|represents|stands for|indicates|denotes|refers to|=|->|:)\s(?:the\s|an?\s)?(\p{L}[^,;.()'"]{1,40}?)(?=,|;|\.|\)|$|\sand\s|\sor\s)/u;

/** Repeats the verb that `1 corresponds to Bangkok, 2 to Chiang Mai` has only once. */
const spelledOut = (description: string): string =>
  /\bcorresponds? to\b/iu.test(description)
    ? description.replaceAll(/(?<=[,;]\s(?:and\s)?-?\d{1,6})\sto\s(?=\p{Lu})/gu, ' corresponds to ')
    : description;

const explanations = (description: string): readonly (readonly [string, string])[] => [
  ...Array.from(
    spelledOut(description).matchAll(VALUE_FOR),
    ([, quoted, plain, phrase = '']) => [quoted ?? plain ?? '', phrase.trim()] as const,
  ),
  ...listedNames(description),
];

/** Values in a row such as `English (EN), German (DE)`; a single abbreviation in a sentence is not one. */
const listedNames = (description: string): readonly (readonly [string, string])[] => {
  const matches = [...description.matchAll(NAME_VALUE)];
  const inRow = matches.filter((match, at) => {
    const before = matches[at - 1];
    const after = matches[at + 1];
    const gap = (one: RegExpExecArray, other: RegExpExecArray): string =>
      description.slice(one.index + one[0].length, other.index);
    return (
      (before !== undefined && JOINED.test(gap(before, match))) ||
      (after !== undefined && JOINED.test(gap(match, after)))
    );
  });
  return inRow.map(([, phrase = '', key = '']) => [key, phrase.trim()] as const);
};
const JOINED = /^\s?(?:[,;/]|and|or|,\s?(?:and|or))\s?$/u;

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The values in quotes, or in a list after `e.g.`, `such as`, `options:` and the like. */
export const examplesOf = (description: string): readonly string[] => {
  const quoted = Array.from(
    description.matchAll(/(?<!\w)['"‘“]([^'"’”]{1,40})['"’”](?!\w)/gu),
    ([, value = '']) => value,
  );
  const listed = Array.from(description.matchAll(EXAMPLES), ([, list = '']) =>
    list.split(/,|\bor\b|\band\b|\//u).map((item) => item.replaceAll(/['"()[\]]/gu, '').trim()),
  ).flat();
  const isExample = (value: string): boolean =>
    /^[\p{L}\p{N}]/u.test(value) && value.split(' ').length <= 4 && !/^etc|^(?:yyyy|mm|dd)/iu.test(value);
  return [...new Set([...quoted, ...listed])].filter(isExample).slice(0, 40);
};

const EXAMPLES =
  /(?:e\.g\.?,?|such as|for example,?|for instance,?|\blike\b|options?(?: are| include)?:?|choices(?: are)?:?|supports?|can be|either|one of|valid values(?: are| include)?:?|possible values(?: are| include)?:?)\s([^.;()]{3,160})/giu;
const VALUE_FOR =
  /(?:['"]([\w.-]{1,24})['"]|(?<![\w.])(-?\d{1,6}|[A-Z]{1,5}))(?:\s(?:for|means|is for|is|represents|stands for|indicates|denotes|refers to|corresponds? to|=|->|-)\s|:\s|=)(?:the\s|an?\s)?([\p{L}][^,;.()'"]{1,40}?)(?=,|;|\.|\)|$|\sand\s|\sor\s)/gu;
const NAME_VALUE = /(\p{Lu}[\p{L} ]{2,24})\s\(['"]?([A-Z]{2,6})['"]?\)/gu;
