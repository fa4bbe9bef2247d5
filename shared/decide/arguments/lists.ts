import { chosen, examplesSaid } from './choices.ts';
import { countedThings } from './counted-things.ts';
import { cueOf, slotRarity } from './cues.ts';
import type { Extraction } from './extract.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import { fitOf } from './values.ts';

export interface FoundList {
  readonly extraction: Extraction;
  readonly spans: readonly Span[];
}

/** The list for an array slot: one written out, or several values of one kind in a row. */
export const listFor = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  taken: readonly Span[],
  subject: ReadonlySet<string>,
): FoundList | undefined => {
  const { items } = slot;
  if (items === undefined) return undefined;
  const free = reading.spans.filter((span) => !taken.includes(span));
  return (
    literalList(slot, slots, items, reading, free) ??
    choiceList(items, reading, subject) ??
    countedThings(slot, items, reading) ??
    runOf(slot, slots, items, reading, free) ??
    exampleList(items, reading, subject) ??
    phraseList(slot, items, reading)
  );
};

/** Several values in one string, where the description wants them parted by commas. */
export const commaList = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  taken: readonly Span[],
): FoundList | undefined => {
  if (slot.type !== 'string' || slot.choices.length > 0 || !/comma[- ]separated|逗号分隔/iu.test(slot.description))
    return undefined;
  const free = reading.spans.filter((span) => !taken.includes(span));
  const list = runOf(slot, slots, slot, reading, free);
  if (list === undefined) return undefined;
  return { ...list, extraction: { ...list.extraction, value: (list.extraction.value as unknown[]).join(',') } };
};

const literalList = (
  slot: Slot,
  slots: readonly Slot[],
  items: Slot,
  reading: Reading,
  free: readonly Span[],
): FoundList | undefined => {
  const rarity = slotRarity(slots);
  const lists = free
    .filter((span) => Array.isArray(span.literal) && (span.literal as unknown[]).every((item) => ofType(item, items)))
    .map((span) => ({ span, cue: cueOf(reading, span, slot, rarity) }))
    .sort((one, other) => other.cue - one.cue);
  const [best] = lists;
  if (best === undefined) return undefined;
  return { extraction: { value: best.span.literal, confidence: 0.9, from: best.span.text }, spans: [best.span] };
};

const ofType = (item: unknown, { type }: Slot): boolean => {
  if (type === 'any') return true;
  if (type === 'integer') return Number.isInteger(item);
  return type === 'array' ? Array.isArray(item) : typeof item === type;
};

const choiceList = (items: Slot, reading: Reading, subject: ReadonlySet<string>): FoundList | undefined => {
  if (items.choices.length === 0) return undefined;
  const hits = items.choices.flatMap((choice) => {
    const hit = chosen({ ...items, choices: [choice] }, reading, subject);
    return hit !== undefined && hit.confidence >= 0.8 ? [hit] : [];
  });
  if (hits.length === 0) return undefined;
  const confidence = Math.min(...hits.map((hit) => hit.confidence));
  return {
    extraction: { value: hits.map((hit) => hit.value), confidence, from: hits.map((hit) => hit.from).join(', ') },
    spans: [],
  };
};

const exampleList = (items: Slot, reading: Reading, subject: ReadonlySet<string>): FoundList | undefined => {
  if (items.type !== 'string' || items.choices.length > 0) return undefined;
  const said = examplesSaid(items, reading, subject);
  if (said.length === 0) return undefined;
  return {
    extraction: {
      value: said.map(({ value }) => value),
      confidence: 0.6,
      from: said.map(({ from }) => from).join(', '),
    },
    spans: [],
  };
};

/** Spans side by side, parted by commas, `and` or `or`. */
const runOf = (
  slot: Slot,
  slots: readonly Slot[],
  items: Slot,
  reading: Reading,
  free: readonly Span[],
): FoundList | undefined => {
  const rarity = slotRarity(slots);
  let best: { score: number; spans: readonly Span[] } | undefined;
  for (const run of runs(free, reading)) {
    const usable = run.filter((span) => fitOf(items, span, reading) !== undefined);
    const [first] = usable;
    if (first === undefined || usable.length !== run.length) continue;
    const cue = cueOf(reading, first, slot, rarity);
    const score = cue + Math.min(run.length, 4) * 0.5 + (fitOf(items, first, reading)?.score ?? 0) * 0.2;
    if (run.length === 1) continue;
    if (score > (best?.score ?? 0)) best = { score, spans: run };
  }
  if (best === undefined || (!slot.required && best.score < 1.2)) return undefined;
  const value = best.spans.map((span) => fitOf(items, span, reading)?.value);
  return {
    extraction: {
      value,
      confidence: Math.min(0.9, 0.4 + best.score * 0.15),
      from: best.spans.map((span) => span.text).join(', '),
    },
    spans: best.spans,
  };
};

/** Small words in a row: `efficient, organized, easy going and compassionate`. */
const phraseList = (slot: Slot, items: Slot, { text }: Reading): FoundList | undefined => {
  if (items.type !== 'string' || items.choices.length > 0 || !slot.required) return undefined;
  const [match] = text.matchAll(PHRASES);
  if (match === undefined) return undefined;
  const value = match[0]
    .split(PHRASE_MARK)
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return value.length < 2 ? undefined : { extraction: { value, confidence: 0.5, from: match[0] }, spans: [] };
};

const PHRASES =
  /(?<=\b(?:am|are|is|with|of|uses?|using|include|including|contains?|have|has|for|between|like|from)\s)(?:[\p{L}-]+(?:\s[\p{L}-]+){0,2},\s){1,12}(?:and\s|or\s)?[\p{L}-]+(?:\s[\p{L}-]+)?(?:\s(?:and|or)\s[\p{L}-]+(?:\s[\p{L}-]+)?)?(?=[.?!]|$)|(?<=\b(?:uses?|using|with|between|like|including)\s)\p{Ll}+\sand\s\p{Ll}+(?=[.?!]|$)/gu;
const PHRASE_MARK = /,\s(?:and\s|or\s)?|\sand\s/u;

const runs = (spans: readonly Span[], { text }: Reading): readonly (readonly Span[])[] => {
  const groups: Span[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const between = last === undefined ? '' : text.slice(last.end, span.start);
    if (group !== undefined && last?.kind === span.kind && JOINED.test(between)) group.push(span);
    else groups.push([span]);
  }
  return groups;
};

const JOINED = /^(?:\s?[%°\p{L}]{0,12})?\s?(?:,|、|;|and|or|&|和|与|,\s?and|,\s?or)\s?(?:the\s|an?\s)?$/iu;
