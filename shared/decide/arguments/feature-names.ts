import { isYesNo } from './choices.ts';
import type { Source } from './proposal.ts';
import type { Slot } from './slot.ts';

/** `${one} ${other}`, cached because a decision needs thousands of feature names. */
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

/** The class of a slot in feature names: its type, or the kind of a string. */
export const classOf = (slot: Slot): string => {
  if (slot.choices.length > 0) return slot.choices.length <= YES_NO_OTHER && isYesNo(slot) ? 'boolean' : 'choice';
  // Telephone numbers are too rare in the training data, so they share the weights of e-mail addresses.
  if (slot.kind === 'phone') return 'email';
  return slot.type === 'string' || slot.type === 'any' ? slot.kind : slot.type === 'integer' ? 'number' : slot.type;
};

/** The names of the features that depend only on a slot and a source. */
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

/** Cached for each slot and source. */
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

/** Yes, no and one other choice. */
const YES_NO_OTHER = 3;
