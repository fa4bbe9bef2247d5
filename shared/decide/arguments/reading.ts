import { joinPlaces } from './places.ts';
import type { Span } from './span.ts';
import { findSpans } from './spans.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A task read for values. */
export interface Reading {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly spans: readonly Span[];
}

const READ_LIMIT = 8192;

/** `now` is in milliseconds since 1970; without it relative dates are not understood. */
export const readForValues = (task: string, now: number | undefined): Reading => {
  const text = task.slice(0, READ_LIMIT);
  const tokens = tokensOf(text);
  const today = now === undefined ? undefined : Math.floor(now / 86_400_000);
  return { text, tokens, spans: joinPlaces(text, findSpans(text, tokens, today)) };
};

/** The number of the first token at or after a place. */
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
