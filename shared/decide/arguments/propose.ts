import { termOf } from '../../search/text.ts';
import { isMentioned } from './booleans.ts';
import { choicesSaid, examplesSaid, isNumeric, isYesNo } from './choices.ts';
import { formatPlace } from './format-place.ts';
import { freeTexts } from './free-text.ts';
import { frequencies } from './frequencies.ts';
import { listsFor } from './lists.ts';
import { namedValues } from './named-values.ts';
import type { Proposal } from './proposal.ts';
import { type Reading, tokenAt } from './reading.ts';
import { asksForYear, type Slot } from './slot.ts';
import type { Span } from './span.ts';
import { fitOf } from './values.ts';

/** All candidate values of a slot in the text; the scorer chooses among them. */
export const proposalsFor = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  subject: ReadonlySet<string>,
): readonly Proposal[] => {
  if (slot.type === 'array') return listsFor(slot, slots, reading, subject);
  if (slot.type === 'boolean') return [isMentioned(slot, reading)].filter((said) => said !== undefined);
  if (isYesNo(slot)) return yesOrNo(slot, reading);
  if (slot.type === 'object') return literals(slot, reading);
  if (slot.choices.length > 0 && !isNumeric(slot))
    return choicesSaid(slot, reading, subject).filter((said) => !labelsOther(slot, said, slots, reading));
  const recognised = [
    ...typed(slot, slots, reading, subject),
    ...(slot.choices.length > 0 ? [] : namedValues(slot, reading)),
    ...frequencies(slot, reading),
  ];
  const isFree = slot.type === 'string' && slot.choices.length === 0;
  return [
    ...recognised,
    ...(slot.type === 'any' ? literals(slot, reading) : []),
    ...(isFree && !NAMED.has(slot.kind) ? examples(slot, reading, subject) : []),
    ...(isFree ? freeTexts(slot, slots, reading) : []),
    // If a name, place or unit was recognised, unmarked words are not proposed as one.
    ...(isFree && (recognised.length === 0 || UNMARKED.has(slot.kind)) ? phrases(slot, reading) : []),
  ];
};

/** The recognised spans that fit the slot, in the format that it asks for. */
const typed = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  subject: ReadonlySet<string>,
): readonly Proposal[] =>
  reading.spans.flatMap((span) => {
    const fit = fitOf(slot, span);
    if (fit === undefined || isOffered(span, slot, slots) || isCountedApart(span, slots, reading)) return [];
    if (hasOwnSlot(span, slot, slots, reading)) return [];
    // If the text has 2019 and 5, the year is 2019.
    if (isLesserYear(span, slot, reading)) return [];
    // In `base64 decode SGkh`, `base64` is the operation, not its input.
    if (span.kind === 'code' && slot.kind === 'text' && subject.has(termOf(span.text.toLowerCase()))) return [];
    const { text } = span;
    // A date in quotes has the source of a date.
    const kind = span.kind === 'quoted' && DATED.has(slot.kind) ? 'moment' : span.kind;
    // One slot may take the city of `Sydney, Australia` and another the country, so each takes only its part.
    const part = typeof fit.value === 'string' && fit.value.length < text.length ? text.indexOf(fit.value) : -1;
    const [start, end] =
      part < 0 ? [span.start, span.end] : [span.start + part, span.start + part + String(fit.value).length];
    return [{ value: fit.value, start, end, from: text, source: kind, own: fit.score, how: fit.how }];
  });

/** Whether a code such as `sha512`, or a name, is a choice of another parameter and therefore not a text. */
const isOffered = ({ kind, text }: Span, slot: Slot, slots: readonly Slot[]): boolean =>
  (kind === 'code' || kind === 'proper') &&
  slots.some((other) => {
    if (other === slot || other.choices.length === 0) return false;
    // `Family Genre` is the choice `Family` of genre.
    const words = text.toLowerCase().split(' ');
    const said = words.length === 1 ? words : words.filter((word) => !other.nameTerms.includes(termOf(word)));
    return other.choices.some(({ phrases }) => phrases.some((phrase) => phrase.toLowerCase() === said.join(' ')));
  });

/** Whether a URL or e-mail address has a parameter of its own kind, so that it is not a name. */
const hasOwnSlot = ({ kind }: Span, slot: Slot, slots: readonly Slot[], { spans }: Reading): boolean =>
  ADDRESSES.has(kind) &&
  NAMING.has(slot.kind) &&
  slots.filter((other) => other.kind === kind && other.type === 'string').length >=
    spans.filter((other) => other.kind === kind).length;
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'email']);
const NAMING: ReadonlySet<Slot['kind']> = new Set<Slot['kind']>(['plain', 'person', 'id']);

/** Whether a number is not a year, although the slot takes one and the text has one. */
const isLesserYear = ({ quantity }: Span, slot: Slot, { spans }: Reading): boolean =>
  quantity !== undefined &&
  !isYear(quantity.value) &&
  asksForYear(slot) &&
  spans.some((other) => other.quantity !== undefined && isYear(other.quantity.value));
const isYear = (value: number): boolean => Number.isInteger(value) && value >= 1500 && value <= 2100;

/** Whether a choice is the label of another slot's value: `text` in `the text "secret"` names the slot text. */
const labelsOther = (
  slot: Slot,
  { start, end }: Proposal,
  slots: readonly Slot[],
  { text, tokens, spans }: Reading,
): boolean => {
  const token = tokens[tokenAt(tokens, start)];
  return (
    token?.end === end &&
    !slot.nameTerms.includes(token.term) &&
    slots.some((other) => other !== slot && other.nameTerms.length === 1 && other.nameTerms[0] === token.term) &&
    spans.some((span) => span.start > end && /^\s?[:：]?\s?$/u.test(text.slice(end, span.start)))
  );
};

/** Whether a tool with a parameter for days takes `45 days after 2024-06-01` as two values, not as one date. */
const isCountedApart = ({ moment, start, end }: Span, slots: readonly Slot[], { spans }: Reading): boolean => {
  if (moment?.counted !== true) return false;
  const unit = spans.find((span) => start <= span.start && span.end <= end && span.quantity !== undefined)?.quantity
    ?.unit;
  return unit !== undefined && slots.some(({ nameTerms }) => nameTerms.includes(termOf(unit)));
};

/** The examples that the text names; places are formatted as the slot asks. */
const examples = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): readonly Proposal[] => {
  const said = examplesSaid(slot, reading, subject);
  if (slot.kind !== 'place') return said;
  return said.flatMap((proposal) => {
    const { value, fits } = formatPlace(slot, String(proposal.value));
    return fits ? [{ ...proposal, value }] : [];
  });
};

const literals = (slot: Slot, { spans }: Reading): readonly Proposal[] =>
  spans.flatMap(({ literal, start, end, text }) => {
    if (literal === undefined || (slot.type === 'object' && Array.isArray(literal))) return [];
    return [{ value: literal, start, end, from: text, source: 'literal' as const, own: 1 }];
  });

const yesOrNo = (slot: Slot, reading: Reading): readonly Proposal[] => {
  const said = isMentioned(slot, reading);
  const choice = slot.choices.find(({ value }) => String(value).toLowerCase() === String(said?.value));
  return said === undefined || choice === undefined ? [] : [{ ...said, value: choice.value }];
};

const phrases = (slot: Slot, { phrases }: Reading): readonly Proposal[] => {
  if (!PHRASED.has(slot.kind)) return [];
  return phrases
    .filter(({ text }) => slot.kind !== 'place' || formatPlace(slot, text).fits)
    .map(({ start, end, text }) => ({ value: text, start, end, from: text, source: 'phrase', own: 0 }));
};

const PHRASED: ReadonlySet<Slot['kind']> = new Set<Slot['kind']>([
  'plain',
  'text',
  'query',
  'person',
  'place',
  'unit',
  'id',
]);
/** Kinds whose values are known without examples. */
const NAMED: ReadonlySet<Slot['kind']> = new Set<Slot['kind']>(['unit', 'currency', 'language']);
const DATED: ReadonlySet<Slot['kind']> = new Set<Slot['kind']>(['date', 'time', 'datetime']);
const UNMARKED: ReadonlySet<Slot['kind']> = new Set<Slot['kind']>(['plain', 'text', 'query']);
