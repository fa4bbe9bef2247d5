import { sameStart } from './choices.ts';
import type { Extraction } from './extract.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';

/** Whether the text mentions what a yes-or-no slot is about; undefined when it does not. */
export const isMentioned = (slot: Slot, { tokens }: Reading): Extraction | undefined => {
  const wanted = slot.nameTerms.filter((term) => !AUXILIARY.has(term));
  if (wanted.length === 0) return undefined;
  const places = wanted.map((term) =>
    tokens.findIndex(
      (token) => token.isWord && (token.term === term || token.lower === term || sameStart(term, token.term)),
    ),
  );
  const hit = places.filter((place) => place >= 0);
  if (hit.length < wanted.length * 0.6) return undefined;
  const first = Math.min(...hit);
  const before = tokens.slice(Math.max(0, first - 4), first).map((token) => token.lower);
  const negated = before.some((word) => NEGATIONS.has(word));
  const flipped = slot.nameTerms.some((term) => term === 'disabl' || term === 'exclud');
  return {
    value: negated === flipped,
    confidence: hit.length === wanted.length ? 0.8 : 0.6,
    from: tokens[first]?.text ?? '',
  };
};

/** Words of such names that are about the switch, not about the matter. */
const AUXILIARY: ReadonlySet<string> = new Set(
  'is has have includ show get enabl allow should with us be can do return only flag need want ar add request disabl exclud consid account appli in set mode option 是否'.split(
    ' ',
  ),
);
const NEGATIONS: ReadonlySet<string> = new Set(
  "no not without don't dont doesn't never exclude excluding non disable isn't 不 无 没".split(' '),
);
