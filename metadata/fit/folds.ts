/**
 * The fold of a tool: deterministic, and the same for a whole family of tools, so that no family is both learnt from
 * and tested on. Another `deal` gives other folds.
 */
export const foldOf = (name: string, folds: number, deal = 0): number => {
  let sum = deal;
  for (const character of familyOf(name)) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return (mixed(sum, deal) >>> 8) % folds;
};

/** Mixes the bits of a hash: a deal only adds to a name's hash, and the folds of two deals should be independent. */
const mixed = (sum: number, deal: number): number => {
  if (deal === 0) return sum;
  const first = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return first ^ (first >>> 12);
};

/** Versions of a tool and tools of one service, such as `Music_3_PlayMedia` and `Music_3_LookupMusic`, are a family. */
export const familyOf = (name: string): string => name.replace(/__v\d+$/u, '').replace(/(?:\.|_\d+_).*$/u, '');
