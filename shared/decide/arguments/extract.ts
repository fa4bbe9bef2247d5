import { splitIdentifier, termOf } from '../../registry/text.ts';
import { assign } from './assign.ts';
import { isMentioned } from './booleans.ts';
import { chosen, examplesSaid, isNumeric, isYesNo } from './choices.ts';
import { cueOf, slotRarity } from './cues.ts';
import { formatPlace } from './format-place.ts';
import { freeText } from './free-text.ts';
import { keyValues } from './key-values.ts';
import { listFor } from './lists.ts';
import { namedValues } from './named-values.ts';
import { isKnownPlace } from './places.ts';
import { type Reading, tokenAt } from './reading.ts';
import { prepositionAt, roleOf, saidRole } from './roles.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import { type Fit, fitOf } from './values.ts';

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
    if (slot.choices.length === 0 || slot.type === 'array' || isNumeric(slot) || isYesNo(slot)) continue;
    const choice = chosen(slot, reading, subject);
    put(slot, choice);
    taken.push(...reading.spans.filter((span) => span.text === choice?.from));
  }
  for (const slot of open()) if (isYesNo(slot)) put(slot, asChoice(slot, isMentioned(slot, reading)));
  for (const slot of open()) if (slot.type === 'boolean') put(slot, isMentioned(slot, reading));
  for (const [name, extraction] of namedValues(open(), reading)) found.set(name, extraction);
  for (const slot of open()) {
    if (slot.type !== 'array') continue;
    const list = listFor(slot, slots, reading, taken, subject);
    put(slot, list?.extraction);
    taken.push(...(list?.spans ?? []));
  }
  const placed = placeSpans(
    open().filter((slot) => slot.choices.length === 0 || isNumeric(slot)),
    reading,
    taken,
  );
  for (const { slot, extraction, span } of inOrder(placed)) {
    put(slot, extraction);
    taken.push(span);
  }
  for (const slot of open()) put(slot, otherHalf(slot, reading));
  const person = leftPerson(open(), reading, taken);
  if (person !== undefined) put(person.slot, person.extraction);
  for (const slot of open()) {
    if (slot.type === 'object') put(slot, nested(slot, reading, subject));
    else if (slot.type === 'string')
      put(slot, examplesSaid(slot, reading, subject)[0] ?? freeText(slot, slots, reading, taken, found));
  }
  for (const slot of open()) put(slot, regionOf(slot, [...found.values()]));
  return found;
};

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
  if (span.kind !== 'proper' && span.kind !== 'code') return false;
  const terms = splitIdentifier(span.text).map((word) => termOf(word) || word);
  // An acronym that the tool itself has, such as RGB, is what it is about.
  if (/^[A-Z]{2,}$/u.test(span.text) && terms.every((term) => subject.has(term))) return true;
  return terms.every(
    (term) => ABBREVIATIONS.has(term) || slots.some((slot) => slot.nameTerms.includes(term) && slot.kind !== 'place'),
  );
};

interface Placed {
  readonly slot: Slot;
  readonly span: Span;
  readonly fit: Fit;
  readonly extraction: Extraction;
}

/** The best way to give each open slot one span. */
const placeSpans = (slots: readonly Slot[], reading: Reading, taken: readonly Span[]): readonly Placed[] => {
  const rarity = slotRarity(slots);
  const spans = reading.spans.filter((span) => !taken.includes(span));
  const fits = slots.map((slot, row) =>
    spans.map((span, column) => {
      const target = slot.type === 'array' && slot.items !== undefined ? slot.items : slot;
      const fit = fitOf(target, span, reading);
      if (fit === undefined) return undefined;
      const cue = cueOf(reading, span, slot, rarity);
      const role = roleOf(slot) * saidRole(reading, span.start) * 1.2 + partRole(slot, reading, span.start);
      const order = 0.3 * (1 - Math.abs(row / slots.length - column / spans.length));
      const score =
        fit.score + 1.5 * cue + role + order + (slot.required ? 0.3 : 0) - (slot.type === 'array' ? 0.8 : 0);
      return {
        value: slot.type === 'array' ? [fit.value] : fit.value,
        score,
        evidence: cue + Math.max(role, 0) + (fit.evidence ?? 0),
      };
    }),
  );
  const accepted = fits.map((row, at) =>
    row.map((fit, column) =>
      fit !== undefined && suffices(slots[at], spans[column], fit) ? Math.max(fit.score - FILLING, 0.05) : 0,
    ),
  );
  return assign(accepted).flatMap((column, row) => {
    const [slot, span, fit] = [slots[row], spans[column], fits[row]?.[column]];
    if (slot === undefined || span === undefined || fit === undefined) return [];
    const confidence = Math.min(0.95, 0.35 + 0.12 * fit.score + 0.1 * Math.min(fit.evidence, 1.5));
    return [{ slot, span, fit, extraction: { value: fit.value, confidence, from: span.text } }];
  });
};

/** `tomorrow at 3 pm` gives a date to one slot and a time to another. */
const otherHalf = (slot: Slot, reading: Reading): Extraction | undefined => {
  if (slot.kind !== 'date' && slot.kind !== 'time') return undefined;
  const span = reading.spans.find(({ moment }) => moment?.day !== undefined && moment.minutes !== undefined);
  const fit = span === undefined ? undefined : fitOf(slot, span, reading);
  return span === undefined || fit === undefined ? undefined : { value: fit.value, confidence: 0.65, from: span.text };
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

/** Slots that differ only by a number (side1, side2) take their values in the order of the text. */
const inOrder = (placed: readonly Placed[]): readonly Placed[] => {
  const groups = Map.groupBy(
    placed,
    ({ slot }) => `${slot.type} ${slot.nameTerms.map((term) => term.replace(COUNTER, '')).join(' ')}`,
  );
  return [...groups.values()].flatMap((group) => {
    if (group.length === 1) return group;
    const sorted = group.toSorted((one, other) => one.span.start - other.span.start);
    return group.map(({ slot }, at) => ({ ...(sorted[at] ?? group[at]), slot }) as Placed);
  });
};

/** An optional slot needs words that speak for it; a required one takes what is of its nature. */
const suffices = (
  slot: Slot | undefined,
  span: Span | undefined,
  fit: { readonly score: number; readonly evidence: number },
): boolean => {
  if (slot === undefined || span === undefined) return false;
  if (slot.required) return fit.score > 0.9;
  if (UNMISTAKABLE.has(slot.kind) && fit.score > 2) return true;
  if ((slot.kind === 'query' || slot.kind === 'text') && span.kind === 'quoted') return true;
  if (slot.nameTerms.includes('year') && fit.score > 2.4) return true;
  return fit.evidence >= 0.45 && fit.score > 1.4;
};

const nested = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): Extraction | undefined => {
  const inner = extract(slot.properties ?? [], reading, subject);
  const missing = (slot.properties ?? []).some((property) => property.required && !inner.has(property.name));
  if (inner.size === 0 || missing) return undefined;
  const entries = [...inner].map(([name, { value }]) => [name, value] as const);
  const confidence = Math.min(...[...inner.values()].map((each) => each.confidence)) * 0.9;
  return {
    value: Object.fromEntries(entries),
    confidence,
    from: [...inner.values()].map(({ from }) => from).join(', '),
  };
};

/** `by` speaks for who made something; `with`, `starring` and `the actor` for who takes part. */
const partRole = (slot: Slot, reading: Reading, start: number): number => {
  const preposition = prepositionAt(reading, start);
  const before = reading.tokens[tokenAt(reading.tokens, start) - 1]?.term ?? '';
  if (slot.nameTerms.some((term) => PLAYERS.has(term))) return preposition === 'with' || PLAYING.has(before) ? 0.8 : 0;
  if (preposition !== 'by' || PLAYING.has(before)) return 0;
  const verb = reading.tokens[tokenAt(reading.tokens, start) - 2]?.term ?? '';
  return slot.nameTerms.some((term) => MAKERS.has(term)) && !PLAYING.has(verb) ? 1.2 : 0;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** What a match must be worth before it is better than none: a sure value is not given up to fill two slots badly. */
const FILLING = 0.8;
const UNMISTAKABLE: ReadonlySet<Slot['kind']> = new Set(['date', 'time', 'datetime', 'email', 'url', 'path']);
const ABBREVIATIONS = words('id ids uuid url api http https sql json xml csv pdf');
const COUNTER = /^(?:first|second|third|fourth|one|two|three|four|\d+|[a-z])$|\d+$/u;
const MAKERS = words('artist author director direct by singer band composer writer creator brand painter');
const PLAYERS = words('cast star starring actor actress player');
const PEOPLE = words(
  'artist author director direct cast star starring actor actress singer player band writer person celebr',
);
const PLAYING = words('star featur actor actress act');
