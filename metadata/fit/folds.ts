/** The fold of a tool, always the same: what belongs to one family of tools is learnt from or tested on, never both. */
export const foldOf = (name: string, folds: number): number => {
  let sum = 0;
  for (const character of familyOf(name)) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return (sum >>> 8) % folds;
};

/** Versions of a tool, and tools of one service such as `Music_3_PlayMedia` and `Music_3_LookupMusic`, are alike. */
export const familyOf = (name: string): string => name.replace(/__v\d+$/u, '').replace(/(?:\.|_\d+_).*$/u, '');
