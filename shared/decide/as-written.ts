import type { Request } from '../search/request.ts';
import { termOf } from '../search/text.ts';

/** Terms as the request writes them: `resize` instead of the stem `resiz`. Terms that are not in it stay unchanged. */
export const asWritten = (terms: readonly string[], { words }: Pick<Request, 'words'>): readonly string[] => {
  const open = new Set(terms);
  const written = new Map<string, string>();
  for (const word of words) {
    if (open.size === 0) break;
    const term = termOf(word);
    if (open.delete(term)) written.set(term, word);
  }
  return terms.map((term) => written.get(term) ?? term);
};
