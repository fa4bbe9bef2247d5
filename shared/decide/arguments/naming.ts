import { oncePerPlace, type Reading, tokenAt } from './reading.ts';
import type { Slot } from './slot.ts';

/** How much of a slot's name stands right beside a place in the text, from 0 to 1: `decay rate of 0.1`, `0.5 weight`. */
export const namedBeside = (slot: Slot, start: number, end: number, reading: Reading): number => {
  const { tokens, spans } = reading;
  const { nameTerms } = slot;
  if (nameTerms.length === 0) return 0;
  // The first of `640x480` is a width without saying so.
  const dimension = spans.find((span) => span.start === start && span.end === end)?.quantity?.dimension;
  if (dimension !== undefined && nameTerms.includes(dimension)) return 1;
  const { at } = wordBefore(reading, start);
  let before = 0;
  while (before < nameTerms.length && nameTerms.includes(tokens[at - before]?.term ?? '')) before++;
  let next = tokenAt(tokens, end);
  if (tokens[next]?.text === '-') next++;
  const after = nameTerms.includes(tokens[next]?.term ?? '') ? 1 : 0;
  return Math.max(before, after) / nameTerms.length;
};

/** The word before a place, past quotes and what binds a name to its value, and the sign or word that does. */
export const wordBefore = oncePerPlace(({ tokens }, start): { readonly at: number; readonly bound: string } => {
  let at = tokenAt(tokens, start) - 1;
  while (at >= 0 && /^["'“‘`「(]$/u.test(tokens[at]?.text ?? '')) at--;
  let bound = '';
  // `my new age, 30` names as `is` would.
  if (tokens[at]?.text === ',') bound = tokens[at--]?.lower ?? '';
  else while (at >= 0 && BINDING.has(tokens[at]?.lower ?? '')) bound = tokens[at--]?.lower ?? '';
  while (at >= 0 && /^["'”’`」)]$/u.test(tokens[at]?.text ?? '')) at--;
  return { at, bound };
});

const BINDING: ReadonlySet<string> = new Set(
  'is are be of as to = : ： should named called titled being was equal equals'.split(' '),
);

/** How a sign binds a name to its value; words do so as `is` does. */
export const SIGNS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  '=': 'assigned',
  ':': 'assigned',
  '：': 'assigned',
  ',': 'apposed',
  '': 'beside',
});
