import { oncePerPlace, type Reading, tokenAt } from './reading.ts';
import type { Slot } from './slot.ts';

/** The share of a slot's name right beside a span, from 0 to 1, as in `decay rate of 0.1` or `0.5 weight`. */
export const namedBeside = (slot: Slot, start: number, end: number, reading: Reading): number => {
  const { tokens, spans } = reading;
  const { nameTerms } = slot;
  if (nameTerms.length === 0) return 0;
  // The first number of `640x480` is a width, although the text does not name it.
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

/** The word before a position, past quotes and binding signs or words such as `is`, and the binding one (`bound`). */
export const wordBefore = oncePerPlace(({ tokens }, start): { readonly at: number; readonly bound: string } => {
  let at = tokenAt(tokens, start) - 1;
  while (at >= 0 && /^["'“‘`「(]$/u.test(tokens[at]?.text ?? '')) at--;
  let bound = '';
  // In `my new age, 30` the comma binds as `is` would.
  if (tokens[at]?.text === ',') bound = tokens[at--]?.lower ?? '';
  else while (at >= 0 && BINDING.has(tokens[at]?.lower ?? '')) bound = tokens[at--]?.lower ?? '';
  while (at >= 0 && /^["'”’`」)]$/u.test(tokens[at]?.text ?? '')) at--;
  return { at, bound };
});

const BINDING: ReadonlySet<string> = new Set(
  'is are be of as to = : ： should named called titled being was equal equals'.split(' '),
);

/** Feature names of the signs between a name and its value; all binding words share one. */
export const SIGNS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  '=': 'assigned',
  ':': 'assigned',
  '：': 'assigned',
  ',': 'apposed',
  '': 'beside',
});
