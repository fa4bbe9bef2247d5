import { splitIdentifier, termOf } from '../../search/text.ts';
import { isMentioned } from './booleans.ts';
import { chosen, examplesSaid, isNumeric, isYesNo } from './choices.ts';
import { commandSaid } from './commands.ts';
import { formatMoment } from './format-moment.ts';
import { formatPlace } from './format-place.ts';
import { freeText } from './free-text.ts';
import { keyValues } from './key-values.ts';
import { commaList, listFor } from './lists.ts';
import { namedValues } from './named-values.ts';
import { placeSpans } from './place-spans.ts';
import { isKnownPlace } from './places.ts';
import type { Reading } from './reading.ts';
import { roleOf } from './roles.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import { fitOf } from './values.ts';

/** A value for a parameter, how sure it is, and the words it was taken from. */
export interface Extraction {
  readonly value: unknown;
  readonly confidence: number;
  readonly from: string;
}

/** Values for as many slots as the text gives; nothing is made up. `subject` are terms that the tool is about. */
export const extract = (
  slots: readonly Slot[],
  reading: Reading,
  subject: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Extraction> => {
  const found = new Map<string, Extraction>(keyValues(slots, reading));
  const taken: Span[] = reading.spans.filter((span) => isKey(span, slots, subject, found));
  const open = (): readonly Slot[] => slots.filter((slot) => !found.has(slot.name));
  const put = (slot: Slot, extraction: Extraction | undefined): void => {
    if (extraction !== undefined) found.set(slot.name, extraction);
  };
  for (const slot of open()) {
    const { extraction, spans } = ofItsKind(slot, slots, reading, taken, subject);
    put(slot, extraction);
    taken.push(...spans);
  }
  for (const [name, extraction] of namedValues(open(), reading)) found.set(name, extraction);
  for (const slot of open())
    if (slot.kind === 'plain' && slot.type === 'string') put(slot, exampleOf(slot, reading, subject));
  const placeable = open().filter((slot) => slot.choices.length === 0 || isNumeric(slot));
  for (const { slot, extraction, span } of placeSpans(placeable, reading, taken)) {
    put(slot, extraction);
    taken.push(span);
  }
  for (const slot of open()) put(slot, otherHalf(slot, reading));
  for (const slot of open()) put(slot, afterNights(slot, slots, found, reading));
  for (const slot of open()) put(slot, regionOf(slot, [...found.values()]));
  const person = leftPerson(open(), reading, taken);
  if (person !== undefined) put(person.slot, person.extraction);
  for (const slot of open()) {
    if (slot.type === 'object') put(slot, nested(slot, reading, subject, taken));
    if (slot.type === 'string')
      put(slot, exampleOf(slot, reading, subject) ?? freeText(slot, slots, reading, taken, found));
  }
  return found;
};

/** A value that the description gives as an example; where values are offered, only those count. */
const exampleOf = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): Extraction | undefined =>
  slot.choices.length > 0 ? undefined : examplesSaid(slot, reading, subject)[0];

/** `three sides` announces side1, side2 and side3; the three itself is for none of them. */
const countsSlots = (unit: string | undefined, slots: readonly Slot[]): boolean => {
  const counted = unit === undefined ? '' : termOf(unit);
  return (
    counted !== '' &&
    slots.filter((slot) => slot.nameTerms.some((term) => term.replace(/\d+$/u, '') === counted)).length > 1
  );
};

/** What choices, yes-or-no slots and lists take from the text, each in its own way. */
const ofItsKind = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  taken: readonly Span[],
  subject: ReadonlySet<string>,
): { readonly extraction: Extraction | undefined; readonly spans: readonly Span[] } => {
  if (slot.type === 'array') {
    const list = listFor(slot, slots, reading, taken, subject);
    return { extraction: list?.extraction, spans: list?.spans ?? [] };
  }
  const command = commandSaid(slot, reading);
  if (command !== undefined)
    return { extraction: command, spans: reading.spans.filter((span) => command.from.includes(span.text)) };
  const parted = commaList(slot, slots, reading, taken);
  if (parted !== undefined) return parted;
  if (slot.type === 'boolean') return { extraction: isMentioned(slot, reading), spans: [] };
  if (isYesNo(slot)) return { extraction: asChoice(slot, isMentioned(slot, reading)), spans: [] };
  if (slot.choices.length === 0 || isNumeric(slot)) return { extraction: undefined, spans: [] };
  const extraction = chosen(slot, reading, subject);
  return { extraction, spans: reading.spans.filter((span) => isPart(extraction?.from, span)) };
};

const isPart = (from: string | undefined, { kind, text }: Span): boolean =>
  from !== undefined && (text === from || (kind === 'proper' && from.length > 3 && text.startsWith(from)));

const asChoice = (slot: Slot, said: Extraction | undefined): Extraction | undefined => {
  const choice = slot.choices.find(({ value }) => String(value).toLowerCase() === String(said?.value));
  return said === undefined || choice === undefined ? undefined : { ...said, value: choice.value };
};

/** The country or state of a city that was found, where it is required. */
const regionOf = (slot: Slot, found: readonly Extraction[]): Extraction | undefined => {
  if (!slot.required || !slot.nameTerms.some((term) => term === 'countri' || term === 'state')) return undefined;
  const city = found.find(({ value }) => typeof value === 'string' && isKnownPlace(value));
  const value = city === undefined ? undefined : formatPlace(slot, String(city.value));
  return city === undefined || value === undefined || value === city.value
    ? undefined
    : { value, confidence: 0.6, from: city.from };
};

/** `ID` in `the order ID is 7` names a slot; it is no value. Nor is what a key=value pair has given already. */
const isKey = (
  span: Span,
  slots: readonly Slot[],
  subject: ReadonlySet<string>,
  found: ReadonlyMap<string, Extraction>,
): boolean => {
  if ([...found.values()].some(({ from }) => from.includes(span.text))) return true;
  if (span.quantity?.spelled) return countsSlots(span.quantity.unit, slots);
  if (span.kind !== 'proper' && span.kind !== 'code') return false;
  const terms = splitIdentifier(span.text).map((word) => termOf(word) || word);
  // An acronym or product that the tool itself names, such as RGB or PostgreSQL, is what it is about.
  if (NAMED_BY_CAPITALS.test(span.text) && terms.every((term) => subject.has(term))) return true;
  return terms.every(
    (term) => ABBREVIATIONS.has(term) || slots.some((slot) => slot.nameTerms.includes(term) && slot.kind !== 'place'),
  );
};

/** `tomorrow at 3 pm` gives a date to one slot and a time to another. */
const otherHalf = (slot: Slot, reading: Reading): Extraction | undefined => {
  if (slot.kind !== 'date' && slot.kind !== 'time') return undefined;
  const span = reading.spans.find(({ moment }) => moment?.day !== undefined && moment.minutes !== undefined);
  const fit = span === undefined ? undefined : fitOf(slot, span, reading);
  return span === undefined || fit === undefined ? undefined : { value: fit.value, confidence: 0.65, from: span.text };
};

/** `3 nights from June 1st` ends on the 4th. */
const afterNights = (
  slot: Slot,
  slots: readonly Slot[],
  found: ReadonlyMap<string, Extraction>,
  reading: Reading,
): Extraction | undefined => {
  const start = slots.find((other) => other.kind === 'date' && roleOf(other) === 1 && found.has(other.name));
  if (slot.kind !== 'date' || roleOf(slot) !== -1 || !slot.required || start === undefined) return undefined;
  const from = reading.spans.find(
    ({ text, moment }) => moment?.day !== undefined && text === found.get(start.name)?.from,
  );
  const stay = reading.spans.find(({ quantity }) => /^(?:night|day)s?$/u.test(quantity?.unit ?? ''));
  if (from?.moment?.day === undefined || stay?.quantity === undefined) return undefined;
  const moment = { ...from.moment, day: from.moment.day + stay.quantity.value };
  return { value: formatMoment(slot, moment, stay.text), confidence: 0.7, from: `${from.text}, ${stay.text}` };
};

/** A full name that nothing else took is the one person who is asked for. */
const leftPerson = (open: readonly Slot[], reading: Reading, taken: readonly Span[]) => {
  const asking = open.filter(
    (slot) => slot.type === 'string' && slot.choices.length === 0 && slot.nameTerms.some((term) => PEOPLE.has(term)),
  );
  const names = reading.spans.filter(
    (span) =>
      span.kind === 'proper' &&
      /^\p{Lu}\p{L}+(?:[\s-]\p{Lu}\p{L}+){1,2}$/u.test(span.text) &&
      !taken.includes(span) &&
      !isKnownPlace(span.text),
  );
  const [slot, name] = [asking[0], names[0]];
  if (slot === undefined || name === undefined || asking.length > 1 || names.length > 1) return undefined;
  return { slot, extraction: { value: name.text, confidence: 0.45, from: name.text } };
};

/** The parts of an object, from what is left of the text; two objects never share a value. */
const nested = (slot: Slot, reading: Reading, subject: ReadonlySet<string>, taken: Span[]): Extraction | undefined => {
  const spans = reading.spans.filter((span) => !taken.includes(span));
  const inner = extract(slot.properties ?? [], { ...reading, spans }, subject);
  const missing = (slot.properties ?? []).some((property) => property.required && !inner.has(property.name));
  if (inner.size === 0 || missing) return undefined;
  taken.push(...spans.filter(({ text }) => [...inner.values()].some(({ from }) => from === text)));
  const entries = [...inner].map(([name, { value }]) => [name, value] as const);
  const confidence = Math.min(...[...inner.values()].map((each) => each.confidence)) * 0.9;
  return {
    value: Object.fromEntries(entries),
    confidence,
    from: [...inner.values()].map(({ from }) => from).join(', '),
  };
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const NAMED_BY_CAPITALS = /^(?:\p{Lu}[\p{L}\d]*\p{Lu}[\p{L}\d]*)(?:\s\p{Lu}[\p{L}\d]*\p{Lu}[\p{L}\d]*)*$/u;
const ABBREVIATIONS = words('id ids uuid url api http https sql json xml csv pdf');
const PEOPLE = words(
  'artist author director direct cast star starring actor actress singer player band writer person celebr',
);
