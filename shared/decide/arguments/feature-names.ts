import { isYesNo } from './choices.ts';
import type { Source } from './proposal.ts';
import type { Slot } from './slot.ts';

/** `${one} ${other}`, made once for each pair: thousands of names are asked for in a decision. */
export const joined = (one: string, other: string): string => {
  let ends = pairs.get(one);
  if (ends === undefined) {
    ends = new Map();
    if (pairs.size < PAIRS) pairs.set(one, ends);
  }
  let pair = ends.get(other);
  if (pair === undefined) {
    pair = `${one} ${other}`;
    if (ends.size < PAIRS) ends.set(other, pair);
  }
  return pair;
};
const pairs = new Map<string, Map<string, string>>();
const PAIRS = 256;

/** What a slot is, for the weights: its type, or the kind of its string. */
export const classOf = (slot: Slot): string => {
  if (slot.choices.length > 0) return slot.choices.length <= YES_NO_OTHER && isYesNo(slot) ? 'boolean' : 'choice';
  // Telephone numbers are too few to learn from: they are found as surely as e-mail addresses.
  if (slot.kind === 'phone') return 'email';
  return slot.type === 'string' || slot.type === 'any' ? slot.kind : slot.type === 'integer' ? 'number' : slot.type;
};

/** The names of what is true of every value that a slot may get by one reading. */
export interface OwnNames {
  readonly always: readonly string[];
  readonly last: string;
  readonly own: string;
  readonly kind: string;
  readonly cue: string;
  readonly inOrder: string;
  readonly outOfOrder: string;
  readonly farOutOfOrder: string;
  readonly rivals: string;
  readonly claimed: string;
  readonly elsewhere: string;
}

const namesFor = (need: 'required' | 'optional') => ({
  cue: `cue ${need}`,
  inOrder: `in order ${need}`,
  outOfOrder: `out of order ${need}`,
  farOutOfOrder: `far out of order ${need}`,
  rivals: `rivals ${need}`,
  claimed: `claimed ${need}`,
  elsewhere: `elsewhere ${need}`,
});
const NEED_NAMES = { required: namesFor('required'), optional: namesFor('optional') };

/** Made once for each slot and reading. */
export const ownNames = (slot: Slot, source: Source): OwnNames => {
  let known = slotNames.get(slot);
  if (known === undefined) {
    known = new Map();
    slotNames.set(slot, known);
  }
  let names = known.get(source);
  if (names === undefined) {
    const kind = classOf(slot);
    const need = slot.required ? 'required' : 'optional';
    const always = [
      joined(source, kind),
      ...(slot.items === undefined ? [] : [joined(joined(source, 'of'), classOf(slot.items))]),
      joined(source, need),
      joined(joined(source, kind), need),
    ];
    names = {
      always,
      last: joined(joined(source, 'for'), slot.nameTerms.at(-1) ?? ''),
      own: joined('own', source),
      kind,
      ...NEED_NAMES[need],
    };
    known.set(source, names);
  }
  return names;
};
const slotNames = new WeakMap<Slot, Map<Source, OwnNames>>();

/** Yes, no, and a word for neither. */
const YES_NO_OTHER = 3;
