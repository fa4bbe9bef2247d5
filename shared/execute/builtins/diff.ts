import { diffArrays } from 'diff';

export interface Edit {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** With more edits than this, no shortest diff is computed: time and memory are quadratic in the edits. */
const MAX_EDITS = 2000;

/** The shortest edit from one list to another. */
export const diff = (
  before: readonly string[],
  after: readonly string[],
): { readonly edits: readonly Edit[]; readonly isMinimal: boolean } => {
  const chunks = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (chunks === undefined)
    return { edits: [...before.map(as('removed')), ...after.map(as('added'))], isMinimal: false };
  const edits = chunks.flatMap(({ value, added, removed }) =>
    value.map(as(added ? 'added' : removed ? 'removed' : 'same')),
  );
  return { edits, isMinimal: true };
};

const as =
  (kind: Edit['kind']) =>
  (text: string): Edit => ({ kind, text });
