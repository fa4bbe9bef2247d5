import type { Proposal } from './proposal.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';

/** Times a year from `compounded quarterly` or `monthly compounding`, for a numeric slot that asks for them. */
export const frequencies = (slot: Slot, { text }: Reading): readonly Proposal[] => {
  // The cheap test of the text comes first, because few texts mention compounding.
  if ((slot.type !== 'integer' && slot.type !== 'number') || !COMPOUND.test(text) || !asksHowOften(slot)) return [];
  return Array.from(text.matchAll(COMPOUNDED)).flatMap((match) => {
    const word = match[1] ?? match[2] ?? '';
    const value = TIMES_A_YEAR.get(word.toLowerCase().replace('-', ''));
    if (value === undefined) return [];
    const start = match.index + match[0].indexOf(word);
    return [
      {
        value,
        start,
        end: start + word.length,
        from: word,
        source: 'number' as const,
        own: 2,
        how: 'number' as const,
      },
    ];
  });
};

const asksHowOften = ({ name, description }: Slot): boolean =>
  /compound|frequency|per_?year/iu.test(name) ||
  /\bhow often\b|\btimes\b.{0,60}\bper\b|compounding periods/iu.test(description);

const COMPOUND = /compound/iu;
const COMPOUNDED =
  /\bcompound(?:ed|ing|s)?\s(?:is\s)?((?:semi-?)?annually|yearly|quarterly|monthly|weekly|daily)\b|\b((?:semi-?)?annual|yearly|quarterly|monthly|weekly|daily)\scompounding\b/giu;
const TIMES_A_YEAR: ReadonlyMap<string, number> = new Map([
  ['annual', 1],
  ['annually', 1],
  ['yearly', 1],
  ['semiannual', 2],
  ['semiannually', 2],
  ['quarterly', 4],
  ['monthly', 12],
  ['weekly', 52],
  ['daily', 365],
]);
