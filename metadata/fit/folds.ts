/**
 * The fold of a tool, always the same: what belongs to one family of tools is learnt from or tested on, never both.
 * Another `deal` gives other folds.
 */
export const foldOf = (name: string, folds: number, deal = 0): number => {
  let sum = deal;
  for (const character of familyOf(name)) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return (mixed(sum, deal) >>> 8) % folds;
};

/** A deal only adds to the sum of a name, so that its bits are mixed to give folds that have nothing to do with others. */
const mixed = (sum: number, deal: number): number => {
  if (deal === 0) return sum;
  const first = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return first ^ (first >>> 12);
};

/** Versions of a tool, and tools of one service such as `Music_3_PlayMedia` and `Music_3_LookupMusic`, are alike. */
export const familyOf = (name: string): string => name.replace(/__v\d+$/u, '').replace(/(?:\.|_\d+_).*$/u, '');
