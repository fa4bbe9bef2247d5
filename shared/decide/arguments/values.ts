import { splitIdentifier, termOf } from '../../search/text.ts';
import { formatMoment } from './format-moment.ts';
import { formatPlace } from './format-place.ts';
import { isKnownPlace } from './places.ts';
import type { Conversion } from './proposal.ts';
import { asksForYear, type Slot } from './slot.ts';
import type { Span, SpanKind } from './span.ts';
import { convertUnit, unitAgreement } from './units.ts';

/** The value that a span would give a slot, and how well their kinds fit, without their context. */
export interface Fit {
  readonly value: unknown;
  readonly score: number;
  /** How the words were converted to the value; absent if the value is the words themselves. */
  readonly how?: Conversion | undefined;
}

export const fitOf = (slot: Slot, span: Span): Fit | undefined => {
  if (slot.choices.length > 0) return numericChoice(slot, span);
  switch (slot.type) {
    case 'integer':
    case 'number':
      return numberFit(slot, span);
    case 'string':
    case 'any':
      return stringFit(slot, span);
    default:
      return undefined;
  }
};

/** The choice that is the same number; it may be a string. */
const numericChoice = (slot: Slot, span: Span): Fit | undefined => {
  const { quantity } = span;
  const choice = slot.choices.find(({ value }) => quantity !== undefined && Number(value) === quantity.value);
  return choice === undefined || quantity === undefined
    ? undefined
    : { value: choice.value, score: (quantity.spelled ? 1.2 : 1.6) + unitAgreement(slot, quantity), how: 'choice' };
};

const numberFit = (slot: Slot, span: Span): Fit | undefined => {
  if (span.moment !== undefined) return momentNumber(slot, span);
  const { quantity } = span;
  if (quantity === undefined) return undefined;
  const value = slot.type === 'integer' && !Number.isInteger(quantity.value) ? undefined : quantity.value;
  if (value === undefined) return undefined;
  const year = asksForYear(slot);
  const looksLikeYear =
    Number.isInteger(value) &&
    value >= 1500 &&
    value <= 2100 &&
    quantity.unit === undefined &&
    quantity.dimension === undefined;
  let score = quantity.ordinal ? 0.8 : quantity.spelled ? (value <= 1 ? 1 : 1.5) : 2;
  score += year === looksLikeYear ? (year ? 0.5 : 0) : year ? -1 : -0.4;
  score += unitAgreement(slot, quantity);
  const converted = asRate(slot, quantity.percent, convertUnit(slot, quantity));
  if (!isAllowed(slot, converted)) return undefined;
  return { value: converted, score, how: converted === value ? 'number' : quantity.percent ? 'rate' : 'unit' };
};

/** Whether a number fits the slot's type and range; for a required slot it may be out of range and is reported. */
const isAllowed = ({ type, required, schema: { minimum, maximum } }: Slot, value: number): boolean =>
  (type !== 'integer' || Number.isInteger(value)) &&
  (required || typeof minimum !== 'number' || value >= minimum) &&
  (required || typeof maximum !== 'number' || value <= maximum);

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
  // `year` is a calendar year, `years` a number of years.
  const words = splitIdentifier(slot.name);
  if (words.includes('year')) return { value: date.getUTCFullYear(), score: 1.2, how: 'date' };
  if (words.includes('month')) return { value: date.getUTCMonth() + 1, score: 1.2, how: 'date' };
  return words.includes('day') ? { value: date.getUTCDate(), score: 1.1, how: 'date' } : undefined;
};

const stringFit = (slot: Slot, span: Span): Fit | undefined => {
  if (span.moment !== undefined) return momentFit(slot, span);
  if (!TAKES[slot.kind]?.has(span.kind)) return undefined;
  if (/date|time/u.test(slot.kind)) return /^\d/u.test(span.text) ? { value: span.text, score: 1 } : undefined;
  if (slot.kind === 'place') return placeFit(slot, span);
  if (span.kind === 'path' && PICTURE.test(slot.description) && OTHER_FILE.test(span.text)) return undefined;
  if (slot.kind === 'path' && span.kind === 'quoted' && !isFileName(slot, span.text)) return undefined;
  if (slot.kind === 'phone' && span.e164 !== undefined && INTERNATIONAL.test(slot.description))
    return { value: span.e164, score: 1, how: 'code' };
  if (span.kind === 'number') return numberText(slot, span);
  if (span.kind === 'proper' && slot.kind === 'id')
    return { value: span.text, score: /^[A-Z]{2,6}$/u.test(span.text) ? 1 : 0 };
  // A known place is seldom a person's name.
  return { value: withoutTitle(slot, span), score: span.kind === 'proper' && isKnownPlace(span.text) ? 0.4 : 1 };
};

/** `Lawyer John Doe` becomes John Doe if the slot asks for a lawyer. */
const withoutTitle = (slot: Slot, { kind, text }: Span): string => {
  const [first = '', ...rest] = text.split(' ');
  const term = termOf(first.toLowerCase());
  const isTitle =
    kind === 'proper' && rest.length > 0 && (slot.nameTerms.includes(term) || slot.descriptionTerms.includes(term));
  return isTitle ? rest.join(' ') : text;
};

/** A number for a string slot: an id as written, a duration with its unit, a year for a season. */
const numberText = (slot: Slot, { quantity, text }: Span): Fit | undefined => {
  if (slot.kind === 'duration')
    return quantity?.unit === undefined ? undefined : { value: `${quantity.value} ${quantity.unit}`, score: 1 };
  if (quantity?.spelled) return undefined;
  if (slot.kind !== 'plain') return { value: text.replaceAll(',', ''), score: 1 };
  const year = quantity !== undefined && quantity.value >= 1500 && quantity.value <= 2100;
  return { value: text, score: year && slot.nameTerms.some((term) => term === 'year' || term === 'season') ? 1 : 0 };
};

const placeFit = (slot: Slot, span: Span): Fit | undefined => {
  const { value, fits, completed } = formatPlace(slot, span.text);
  if (!fits) return undefined;
  const how = completed === 'assumed' ? 'gazetteer' : value === span.text ? undefined : 'place';
  return { value, score: isKnownPlace(span.text) ? 1 : 0.5, how };
};

const momentFit = (slot: Slot, span: Span): Fit | undefined => {
  const { moment } = span;
  if (moment === undefined) return undefined;
  const value = formatMoment(slot, moment, span.text);
  const how = value === span.text ? undefined : 'date';
  if (slot.kind === 'date')
    return moment.day === undefined
      ? undefined
      : { value, how, score: value === span.text && moment.precision !== 'day' ? 0.5 : 1 };
  if (slot.kind === 'datetime') return { value, how, score: moment.day === undefined ? 0.3 : 1 };
  if (slot.kind === 'time') return moment.minutes === undefined ? undefined : { value, how: 'time', score: 1 };
  return slot.kind === 'plain' || slot.kind === 'text' ? { value: span.text, score: 0.2 } : undefined;
};

/** Slots for pictures do not take other files, such as pages or programs. */
const PICTURE = /\b(?:picture|image|photo)\b/iu;
const OTHER_FILE =
  /\.(?:txt|csv|json|xml|ya?ml|toml|docx?|xlsx?|pptx?|md|html?|css|mp3|wav|zip|tar|gz|py|js|ts|java|log|exe|sql|db|ini|cfg|conf)$/iu;
/** Whether a quoted text may be a file name: `I love you` may not, and a `key` needs an extension or a folder. */
const isFileName = ({ name }: Slot, text: string): boolean =>
  /[./\\]/u.test(text) || (/^[\w-]+$/u.test(text) && name !== 'key');
const INTERNATIONAL = /e\.?164|international format|country code/iu;

const kinds = (list: string): ReadonlySet<SpanKind> => new Set(list.split(' ') as SpanKind[]);

/** The kinds of spans that may be the value of each kind of string. */
const TAKES: Readonly<Partial<Record<Slot['kind'], ReadonlySet<SpanKind>>>> = {
  place: kinds('proper quoted'),
  person: kinds('quoted proper code'),
  email: kinds('email quoted'),
  phone: kinds('phone quoted number code'),
  url: kinds('url quoted path'),
  path: kinds('path quoted url code'),
  date: kinds('quoted'),
  time: kinds('quoted'),
  datetime: kinds('quoted'),
  id: kinds('code quoted path proper number phone'),
  duration: kinds('number quoted'),
  query: kinds('quoted proper'),
  text: kinds('quoted code'),
  plain: kinds('quoted proper code number email url path phone'),
};
