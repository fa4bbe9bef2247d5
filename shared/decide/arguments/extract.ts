import { splitIdentifier, termOf } from '../../registry/text.ts';
import { assign } from './assign.ts';
import { isMentioned } from './booleans.ts';
import { chosen, exampleSaid } from './choices.ts';
import { cueOf, slotRarity } from './cues.ts';
import { freeText } from './free-text.ts';
import { keyValues } from './key-values.ts';
import { listFor } from './lists.ts';
import { namedValues } from './named-values.ts';
import type { Reading } from './reading.ts';
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
  const taken: Span[] = reading.spans.filter((span) => isKey(span, slots, found));
  const open = (): readonly Slot[] => slots.filter((slot) => !found.has(slot.name));
  const put = (slot: Slot, extraction: Extraction | undefined): void => {
    if (extraction !== undefined) found.set(slot.name, extraction);
  };
  for (const slot of open())
    if (slot.choices.length > 0 && slot.type !== 'array') put(slot, chosen(slot, reading, subject));
  for (const slot of open()) if (slot.type === 'boolean') put(slot, isMentioned(slot, reading));
  for (const [name, extraction] of namedValues(open(), reading)) found.set(name, extraction);
  for (const slot of open()) {
    if (slot.type !== 'array') continue;
    const list = listFor(slot, slots, reading, taken, subject);
    put(slot, list?.extraction);
    taken.push(...(list?.spans ?? []));
  }
  const placed = placeSpans(
    open().filter((slot) => slot.choices.length === 0),
    reading,
    taken,
  );
  for (const { slot, extraction, span } of inOrder(placed)) {
    put(slot, extraction);
    taken.push(span);
  }
  for (const slot of open()) {
    if (slot.type === 'object') put(slot, nested(slot, reading, subject));
    else if (slot.type === 'string')
      put(slot, exampleSaid(slot, reading, subject) ?? freeText(slot, slots, reading, taken, found));
  }
  return found;
};

/** `ID` in `the order ID is 7` names a slot; it is no value. Nor is what a key=value pair has given already. */
const isKey = (span: Span, slots: readonly Slot[], found: ReadonlyMap<string, Extraction>): boolean => {
  if ([...found.values()].some(({ from }) => from.includes(span.text))) return true;
  if (span.kind !== 'proper' && span.kind !== 'code') return false;
  const terms = splitIdentifier(span.text).map((word) => termOf(word) || word);
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
      const role =
        roleOf(slot) * saidRole(reading, span.start) * 1.2 + creatorRole(slot, prepositionAt(reading, span.start));
      const order = 0.3 * (1 - Math.abs(row / slots.length - column / spans.length));
      const score =
        fit.score + 1.5 * cue + role + order + (slot.required ? 0.3 : 0) - (slot.type === 'array' ? 0.8 : 0);
      return { value: slot.type === 'array' ? [fit.value] : fit.value, score, evidence: cue + Math.max(role, 0) };
    }),
  );
  const accepted = fits.map((row, at) =>
    row.map((fit, column) => (fit !== undefined && suffices(slots[at], spans[column], fit) ? fit.score : 0)),
  );
  return assign(accepted).flatMap((column, row) => {
    const [slot, span, fit] = [slots[row], spans[column], fits[row]?.[column]];
    if (slot === undefined || span === undefined || fit === undefined) return [];
    const confidence = Math.min(0.95, 0.35 + 0.12 * fit.score + 0.1 * Math.min(fit.evidence, 1.5));
    return [{ slot, span, fit, extraction: { value: fit.value, confidence, from: span.text } }];
  });
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
  return fit.evidence >= 0.55 && fit.score > 1.4;
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

/** `by` speaks for who made something, `with` for who takes part. */
const creatorRole = (slot: Slot, preposition: string): number => {
  if (preposition === 'by') return slot.nameTerms.some((term) => MAKERS.has(term)) ? 0.8 : 0;
  return preposition === 'with' && slot.nameTerms.some((term) => PLAYERS.has(term)) ? 0.8 : 0;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const UNMISTAKABLE: ReadonlySet<Slot['kind']> = new Set(['date', 'time', 'datetime', 'email', 'url', 'path']);
const ABBREVIATIONS = words('id ids uuid url api http https sql json xml csv pdf');
const COUNTER = /^(?:first|second|third|fourth|one|two|three|four|\d+|[a-z])$|\d+$/u;
const MAKERS = words('artist author director direct by singer band composer writer creator brand painter');
const PLAYERS = words('cast star starring actor actress player');
