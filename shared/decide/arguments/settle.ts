import { assign } from './assign.ts';
import type { Extracted, Extraction } from './extract.ts';
import type { Leaf } from './leaves.ts';
import { overlap, type Proposal } from './proposal.ts';

/** A candidate value of a slot. */
export interface Offer {
  readonly proposal: Proposal;
  readonly standing: Extraction['standing'];
  /** Its log odds against leaving the slot open, plus the bonus for filling it. */
  readonly gain: number;
  readonly probability: number;
}

/** Assigns each slot at most one offer so that the total gain is highest and no words are used twice. */
export const settle = (leaves: readonly Leaf[], offers: readonly (readonly Offer[])[]): Settled => {
  const best = offers.map((list) => {
    const row = new Map<string, Offer>();
    for (const offer of list) {
      const column = columnOf(offer.proposal);
      if (!row.has(column)) row.set(column, offer);
    }
    return row;
  });
  const columns = [...new Set(best.flatMap((row) => [...row.keys()]))];
  const gains = best.map((row) => columns.map((column) => row.get(column)?.gain ?? 0));
  for (let round = 0; round < ROUNDS; round++) {
    const taken = assign(gains);
    const chosen = taken.map((column, row) => best[row]?.get(columns[column] ?? ''));
    const loser = conflict(chosen, leaves);
    if (loser < 0)
      return {
        chosen: new Map(
          chosen.flatMap((offer, row) =>
            offer === undefined ? [] : [[leaves[row] as Leaf, extractionOf(offer, offers[row] ?? [])]],
          ),
        ),
        contest: () => contestOf(gains, taken),
      };
    (gains[loser] as number[])[taken[loser] as number] = 0;
  }
  return { chosen: new Map(), contest: () => 0 };
};

interface Settled extends Pick<Extracted, 'contest'> {
  readonly chosen: ReadonlyMap<Leaf, Extraction>;
}

/** The smallest loss of total gain when one row may not have the column assigned to it. */
const contestOf = (gains: readonly (readonly number[])[], taken: readonly number[]): number => {
  const worth = (scores: readonly (readonly number[])[], columns: readonly number[]): number =>
    columns.reduce((sum, column, row) => sum + (scores[row]?.[column] ?? 0), 0);
  const best = worth(gains, taken);
  let least = FAR;
  for (const [row, column] of taken.entries()) {
    if (column < 0) continue;
    const without = gains.map((scores, at) => (at === row ? scores.with(column, 0) : scores));
    least = Math.min(least, best - worth(without, assign(without)));
  }
  return least;
};
/** The largest margin, also used if nothing was assigned. */
const FAR = 12;

/** Slots that differ only by a number (side1, side2) take their values in the order of the text. */
export const inOrder = (found: ReadonlyMap<Leaf, Extraction>): ReadonlyMap<Leaf, Extraction> => {
  const groups = Map.groupBy(
    [...found].filter(([{ slot }]) => slot.nameTerms.some((term) => COUNTER.test(term))),
    ([{ slot }]) => `${slot.type} ${slot.nameTerms.map((term) => term.replace(COUNTER, '')).join(' ')}`,
  );
  const sorted = new Map(found);
  for (const group of groups.values()) {
    const values = group.map(([, value]) => value).sort((one, other) => (one.at?.start ?? 0) - (other.at?.start ?? 0));
    for (const [at, [leaf]] of group.entries()) sorted.set(leaf, values[at] as Extraction);
  }
  return sorted;
};
const COUNTER = /^(?:first|second|third|fourth|one|two|three|four|\d+|[a-z])$|\d+$/u;

/**
 * The row with the lower gain of two whose words overlap; -1 if none do.
 * A required slot that takes a whole date wins over an optional one that takes a part of it.
 */
const conflict = (chosen: readonly (Offer | undefined)[], leaves: readonly Leaf[]): number => {
  for (const [row, one] of chosen.entries()) {
    if (one === undefined || one.proposal.shares) continue;
    for (let other = row + 1; other < chosen.length; other++) {
      const two = chosen[other];
      if (two === undefined || two.proposal.shares || !overlap(one.proposal, two.proposal)) continue;
      if (isOtherHalf(one.proposal, two.proposal)) continue;
      if (contains(one.proposal, two.proposal) && leaves[row]?.slot.required && !leaves[other]?.slot.required)
        return other;
      if (contains(two.proposal, one.proposal) && leaves[other]?.slot.required && !leaves[row]?.slot.required)
        return row;
      return one.gain < two.gain ? row : other;
    }
  }
  return -1;
};

const contains = (whole: Proposal, part: Proposal): boolean =>
  whole.source === 'moment' && whole.start <= part.start && part.end <= whole.end;

/** Whether two proposals are the date and the time of one moment, as in `tomorrow at 3 pm`. */
const isOtherHalf = (one: Proposal, other: Proposal): boolean =>
  one.source === 'moment' && other.source === 'moment' && one.how !== other.how;

const columnOf = ({ start, end, source, how, shares }: Proposal): string =>
  shares ? `${source} ${start} ${end}` : source === 'moment' ? `${start} ${end} ${how}` : `${start} ${end}`;

const extractionOf = ({ proposal, standing, gain, probability }: Offer, offers: readonly Offer[]): Extraction => ({
  value: proposal.value,
  confidence: probability,
  from: proposal.from,
  how: proposal.how,
  source: proposal.source,
  at: { start: proposal.start, end: proposal.end },
  standing,
  lead: gain - Math.max(gain - FAR, ...offers.flatMap((other) => (other.proposal === proposal ? [] : [other.gain]))),
});

const ROUNDS = 24;
