import { assign } from './assign.ts';
import { cueOf, slotRarity } from './cues.ts';
import type { Extraction } from './extract.ts';
import { type Reading, tokenAt } from './reading.ts';
import { prepositionAt, roleOf, saidRole } from './roles.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import { fitOf } from './values.ts';

export interface Placed {
  readonly slot: Slot;
  readonly span: Span;
  readonly extraction: Extraction;
}

/** The best way to give each open slot one span; like slots take theirs in the order of the text. */
export const placeSpans = (slots: readonly Slot[], reading: Reading, taken: readonly Span[]): readonly Placed[] => {
  const rarity = slotRarity(slots);
  const spans = reading.spans.filter((span) => !taken.includes(span));
  const fits = slots.map((slot, row) =>
    spans.map((span, column) => {
      const order = 1 - Math.abs(row / slots.length - column / spans.length);
      return weigh(slot, span, order, reading, rarity);
    }),
  );
  const accepted = fits.map((row, at) =>
    row.map((fit, column) =>
      fit !== undefined && suffices(slots[at], spans[column], fit) ? worthOf(slots[at], fit) : 0,
    ),
  );
  const placed = assign(accepted).flatMap((column, row) => {
    const [slot, span, fit] = [slots[row], spans[column], fits[row]?.[column]];
    if (slot === undefined || span === undefined || fit === undefined) return [];
    const confidence = Math.min(0.95, 0.35 + 0.12 * fit.score + 0.1 * Math.min(fit.evidence, 1.5));
    return [{ slot, span, extraction: { value: fit.value, confidence, from: span.text } }];
  });
  return datesInOrder(inOrder(placed));
};

/** What a match adds; an optional slot that no words speak for only takes what nothing else wants. */
const worthOf = (slot: Slot | undefined, { score, evidence }: { readonly score: number; readonly evidence: number }) =>
  slot?.required || evidence >= 0.2 ? Math.max(score - FILLING, 0.05) : Math.min(Math.max(score - FILLING, 0.05), 0.3);

/** By nature, by the words around, by from and to, and a little by order; a list of one counts less. */
const weigh = (slot: Slot, span: Span, order: number, reading: Reading, rarity: ReadonlyMap<string, number>) => {
  const list = slot.type === 'array';
  const fit = fitOf(list && slot.items !== undefined ? slot.items : slot, span, reading);
  if (fit === undefined) return undefined;
  const cue = cueOf(reading, span, slot, rarity);
  const role = roleOf(slot) * saidRole(reading, span.start) * 1.2 + partRole(slot, reading, span.start);
  return {
    value: list ? [fit.value] : fit.value,
    score: fit.score + 1.5 * cue + role + 0.3 * order + (slot.required ? 0.3 : 0) - (list ? 0.8 : 0),
    evidence: cue + Math.max(role, 0) + (fit.evidence ?? 0),
  };
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

/** What starts comes before what ends, unless the words said otherwise. */
const datesInOrder = (placed: readonly Placed[]): readonly Placed[] => {
  const start = placed.find(({ slot, span }) => roleOf(slot) === 1 && span.moment?.day !== undefined);
  const end = placed.find(({ slot, span }) => roleOf(slot) === -1 && span.moment?.day !== undefined);
  if (start === undefined || end === undefined || (start.span.moment?.day ?? 0) <= (end.span.moment?.day ?? 0))
    return placed;
  if (start.slot.kind !== end.slot.kind) return placed;
  return placed.map((each) =>
    each === start ? { ...end, slot: start.slot } : each === end ? { ...start, slot: end.slot } : each,
  );
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

/** `by` speaks for who made something; `with`, `starring` and `the actor` for who takes part. */
const partRole = (slot: Slot, reading: Reading, start: number): number => {
  const preposition = prepositionAt(reading, start);
  const before = reading.tokens[tokenAt(reading.tokens, start) - 1]?.term ?? '';
  const verb = reading.tokens[tokenAt(reading.tokens, start) - 2]?.term ?? '';
  if (slot.nameTerms.some((term) => PLAYERS.has(term))) {
    return preposition === 'with' || PLAYING.has(before) || (preposition === 'by' && PLAYING.has(verb)) ? 0.8 : 0;
  }
  if (preposition !== 'by' || PLAYING.has(before)) return 0;
  return slot.nameTerms.some((term) => MAKERS.has(term)) && !PLAYING.has(verb) ? 1.2 : 0;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** What a match must be worth before it is better than none: a sure value is not given up to fill two slots badly. */
const FILLING = 0.8;
const UNMISTAKABLE: ReadonlySet<Slot['kind']> = new Set(['date', 'time', 'datetime', 'email', 'url', 'path']);
const COUNTER = /^(?:first|second|third|fourth|one|two|three|four|\d+|[a-z])$|\d+$/u;
const MAKERS = words('artist author director direct by singer band composer writer creator brand painter');
const PLAYERS = words('cast star starring actor actress player');
const PLAYING = words('star featur actor actress act');
