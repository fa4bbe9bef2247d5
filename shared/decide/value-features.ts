import type { Extraction } from './arguments/extract.ts';
import { classOf, joined } from './arguments/feature-names.ts';
import { wantsRegion } from './arguments/format-place.ts';
import type { Slot } from './arguments/slot.ts';

/** Features by the source and kind of each value and by the kinds left open: some are right far more often. */
export const valueFeatures = (
  slots: readonly Slot[],
  found: ReadonlyMap<string, Extraction>,
  chances: readonly number[],
): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  const add = (name: string, value: number): void => {
    sums.set(name, Math.min(SAME, (sums.get(name) ?? 0) + value));
  };
  for (const [at, slot] of slots.entries()) {
    const need = slot.required ? 'required' : 'optional';
    const doubt = 1 - (chances[at] ?? 1);
    const value = found.get(slot.name);
    if (value === undefined) {
      add(joined(joined('open', need), classOf(slot)), 1);
      add(joined('open doubt', need), doubt);
      if (slot.default !== undefined) add('open default', 1);
      continue;
    }
    // `Sunol` for a slot that asks for `City, State` lacks the state, because the gazetteer does not know the town.
    if (slot.kind === 'place' && wantsRegion(slot) && !String(value.value).includes(',')) add('bare place', 1);
    const source = value.source ?? 'given';
    add(joined('from', source), 1);
    add(joined(joined('from', source), classOf(slot)), 1);
    add(joined('filled', classOf(slot)), 1);
    add(joined('doubt', source), doubt);
    add(joined('doubt', need), doubt);
    if (value.how !== undefined) add(joined('by', value.how), 1);
    addStanding(value, source, add);
  }
  return sums;
};
const SAME = 4;

/** Whether a value was distinguished from the others by the slot's name or only by their order. */
const addStanding = (
  { standing, lead = FAR }: Extraction,
  source: string,
  add: (name: string, value: number) => void,
): void => {
  add('lead', Math.max(0, FAR - lead) / FAR);
  if (standing === undefined || !MANY.has(source)) return;
  if (standing.rivals > 0 && standing.named === 0) add(joined('by order', source), 1);
  if (standing.claimed > standing.named) add('claimed', 1);
  if (standing.elsewhere > standing.named) add('named elsewhere', 1);
  if (standing.named === 1) add(joined('named', source), 1);
};
const FAR = 3;
/** Sources of which a request often has several values, for different parameters. */
const MANY: ReadonlySet<string> = new Set(['number', 'proper', 'quoted', 'code', 'moment', 'single', 'run']);
