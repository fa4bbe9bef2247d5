import { termOf } from '../../search/text.ts';
import { formatMoment } from './format-moment.ts';
import { formatPlace } from './format-place.ts';
import { isKnownPlace } from './places.ts';
import type { Reading } from './reading.ts';
import { prepositionAt } from './roles.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import { convertUnit, unitAgreement } from './units.ts';

/** What a span would be as the value of a slot, and how well the two go together by their nature alone. */
export interface Fit {
  readonly value: unknown;
  readonly score: number;
  /** What the span itself says for the slot, beside the words around it. */
  readonly evidence?: number;
}

export const fitOf = (slot: Slot, span: Span, reading: Reading): Fit | undefined => {
  if (slot.choices.length > 0) return numericChoice(slot, span);
  switch (slot.type) {
    case 'integer':
    case 'number':
      return numberFit(slot, span);
    case 'string':
    case 'any':
      return stringFit(slot, span, reading);
    default:
      return undefined;
  }
};

/** A number among offered numbers, which may be written as strings. */
const numericChoice = (slot: Slot, span: Span): Fit | undefined => {
  const { quantity } = span;
  const choice = slot.choices.find(({ value }) => quantity !== undefined && Number(value) === quantity.value);
  return choice === undefined || quantity === undefined
    ? undefined
    : { value: choice.value, score: (quantity.spelled ? 1.2 : 1.6) + unitAgreement(slot, quantity) };
};

const numberFit = (slot: Slot, span: Span): Fit | undefined => {
  if (span.moment !== undefined) return momentNumber(slot, span);
  const { quantity } = span;
  if (quantity === undefined) return undefined;
  const value = slot.type === 'integer' && !Number.isInteger(quantity.value) ? undefined : quantity.value;
  if (value === undefined) return { value: quantity.value, score: 0.2 };
  const year = slot.nameTerms.includes('year') && !slot.nameTerms.some((term) => COUNTING.has(term));
  const looksLikeYear = Number.isInteger(value) && value >= 1500 && value <= 2100 && quantity.unit === undefined;
  let score = quantity.ordinal ? 0.8 : quantity.spelled ? (value <= 1 ? 1 : 1.5) : 2;
  score += year === looksLikeYear ? (year ? 0.5 : 0) : year ? -1 : -0.4;
  score += unitAgreement(slot, quantity);
  return { value: asRate(slot, quantity.percent, convertUnit(slot, quantity)), score };
};

/** `5 %` is 0.05 for a rate, but 5 where a percentage is asked for. */
const asRate = (slot: Slot, percent: boolean, value: number): number => {
  if (!percent || slot.type === 'integer') return value;
  if (/decimal|0\.\d|between 0 and 1\b/iu.test(slot.description)) return Number((value / 100).toPrecision(12));
  return /percent|%|0 (?:to|and|-) 100/iu.test(slot.description) || slot.nameTerms.includes('percentag')
    ? value
    : Number((value / 100).toPrecision(12));
};

const momentNumber = (slot: Slot, span: Span): Fit | undefined => {
  const day = span.moment?.day;
  if (day === undefined) return undefined;
  const date = new Date(day * 86_400_000);
  if (slot.nameTerms.includes('year')) return { value: date.getUTCFullYear(), score: 1.2 };
  if (slot.nameTerms.includes('month')) return { value: date.getUTCMonth() + 1, score: 1.2 };
  return slot.nameTerms.includes('day') ? { value: date.getUTCDate(), score: 1.1 } : undefined;
};

const stringFit = (slot: Slot, span: Span, reading: Reading): Fit | undefined => {
  if (span.moment !== undefined) return momentFit(slot, span);
  const score = STRING_FITS[slot.kind]?.[span.kind];
  if (score === undefined) return undefined;
  if (/date|time/u.test(slot.kind)) return /^\d/u.test(span.text) ? { value: span.text, score } : undefined;
  if (slot.kind === 'place') return placeFit(slot, span, reading, score);
  if (span.kind === 'proper' && slot.kind === 'id')
    return { value: span.text, score: /^[A-Z]{2,6}$/u.test(span.text) ? 1.8 : 0.5 };
  if (span.kind === 'number') return numberText(slot, span, score);
  // What is known as a place is seldom a person's name.
  const misplaced = span.kind === 'proper' && isKnownPlace(span.text) ? 0.6 : 0;
  return { value: withoutTitle(slot, span), score: score - misplaced };
};

/** `Lawyer John Doe` is John Doe where the name of a lawyer is asked for. */
const withoutTitle = (slot: Slot, { kind, text }: Span): string => {
  const [first = '', ...rest] = text.split(' ');
  const term = termOf(first.toLowerCase());
  const isTitle =
    kind === 'proper' && rest.length > 0 && (slot.nameTerms.includes(term) || slot.descriptionTerms.includes(term));
  return isTitle ? rest.join(' ') : text;
};

/** A number for a string: an id as it stands, a duration with its unit, a year for a season. */
const numberText = (slot: Slot, span: Span, score: number): Fit | undefined => {
  const { quantity } = span;
  if (slot.kind === 'duration')
    return quantity?.unit === undefined ? undefined : { value: `${quantity.value} ${quantity.unit}`, score };
  if (slot.kind !== 'plain') return quantity?.spelled ? undefined : { value: span.text.replaceAll(',', ''), score };
  const year = quantity !== undefined && quantity.value >= 1500 && quantity.value <= 2100;
  if (quantity?.spelled) return undefined;
  return {
    value: span.text,
    score: year && slot.nameTerms.some((term) => term === 'year' || term === 'season') ? 1.5 : 0.4,
  };
};

const placeFit = (slot: Slot, span: Span, reading: Reading, score: number): Fit => {
  const located = PLACE_PREPOSITIONS.has(prepositionAt(reading, span.start)) ? 0.6 : 0;
  const known = isKnownPlace(span.text) ? 1 : 0;
  return { value: formatPlace(slot, span.text), score: score + located + known, evidence: 0.5 * (located + known) };
};

const momentFit = (slot: Slot, span: Span): Fit | undefined => {
  const { moment } = span;
  if (moment === undefined) return undefined;
  const value = formatMoment(slot, moment, span.text);
  if (slot.kind === 'date')
    return moment.day === undefined
      ? undefined
      : { value, score: value === span.text && moment.precision !== 'day' ? 1.5 : 2.5 };
  if (slot.kind === 'datetime') return { value, score: moment.day === undefined ? 1 : 2.5 };
  if (slot.kind === 'time') return moment.minutes === undefined ? undefined : { value, score: 2.5 };
  return slot.kind === 'plain' || slot.kind === 'text' ? { value: span.text, score: 0.2 } : undefined;
};

const COUNTING: ReadonlySet<string> = new Set(['number', 'num', 'count', 'total', 'term', 'durat']);
const PLACE_PREPOSITIONS: ReadonlySet<string> = new Set(
  'in at from to near for between around of and 从 到 在 去'.split(' '),
);

type Fits = Readonly<Partial<Record<Span['kind'], number>>>;
const STRING_FITS: Readonly<Partial<Record<Slot['kind'], Fits>>> = {
  place: { proper: 1.2, quoted: 0.8 },
  person: { quoted: 1.8, proper: 1.5, code: 0.8 },
  email: { email: 3, quoted: 0.2 },
  url: { url: 3, quoted: 0.4, path: 0.5 },
  path: { path: 3, quoted: 1, url: 0.5, code: 0.8 },
  date: { quoted: 2.2 },
  time: { quoted: 2.2 },
  datetime: { quoted: 2.2 },
  id: { code: 2, quoted: 1.8, path: 1.4, proper: 1, number: 0.9 },
  duration: { number: 1.5, quoted: 1 },
  query: { quoted: 2, proper: 0.9 },
  text: { quoted: 2, code: 0.3 },
  plain: { quoted: 1.6, proper: 1.1, code: 0.9, number: 0, email: 0.3, url: 0.6, path: 0.3 },
};
