/** The fold of a name, always the same: what belongs to one tool is learnt from or tested on, never both. */
export const foldOf = (name: string, folds: number): number => {
  let sum = 0;
  for (const character of name) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return (sum >>> 8) % folds;
};
