import { type Phrase, phrasesOf } from './phrases.ts';
import { joinPlaces } from './places.ts';
import type { Span, SpanKind } from './span.ts';
import { findSpans } from './spans.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A task with everything in it that may be a value. */
export interface Reading {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly spans: readonly Span[];
  /** The tokens that are words, and those outside addresses and paths (`free`). */
  readonly words: { readonly all: readonly Token[]; readonly free: readonly Token[] };
  readonly phrases: readonly Phrase[];
}

const READ_LIMIT = 8192;
/** Longer than any text that is read, so that a start and an end can be packed into one number. */
export const PLACES = 16_384;

/** `now` is in milliseconds since 1970; without it relative dates are not understood. */
export const readForValues = (task: string, now: number | undefined): Reading => {
  const text = task.slice(0, READ_LIMIT);
  const tokens = tokensOf(text);
  const today = now === undefined ? undefined : Math.floor(now / 86_400_000);
  const spans = joinPlaces(text, findSpans(text, tokens, today));
  const all = tokens.filter(({ isWord }) => isWord);
  const addresses = spans.filter(({ kind }) => ADDRESSES.has(kind));
  const free = all.filter(({ start, end }) => !addresses.some((span) => span.start <= start && end <= span.end));
  return { text, tokens, spans, words: { all, free }, phrases: phrasesOf(text, tokens, spans) };
};

/** Caches a function of a position in a task, because every slot of every candidate asks about the same positions. */
export const oncePerPlace = <T>(
  read: (reading: Reading, place: number) => T,
): ((reading: Reading, place: number) => T) => {
  const readings = new WeakMap<Reading, Map<number, T>>();
  return (reading, place) => {
    let known = readings.get(reading);
    if (known === undefined) {
      known = new Map();
      readings.set(reading, known);
    }
    let value = known.get(place);
    if (value === undefined) {
      value = read(reading, place);
      known.set(place, value);
    }
    return value;
  };
};

/** A cache for each reading, freed with it, so that it does not grow with the number of requests. */
export const perReading = <T>(make: (reading: Reading) => T): ((reading: Reading) => T) => {
  const kept = new WeakMap<Reading, T>();
  return (reading) => {
    let value = kept.get(reading);
    if (value === undefined) {
      value = make(reading);
      kept.set(reading, value);
    }
    return value;
  };
};

const ADDRESSES: ReadonlySet<SpanKind> = new Set<SpanKind>(['path', 'url', 'email']);

/** The index of the first token at or after a position. */
export const tokenAt = (tokens: readonly Token[], place: number): number => {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
};
