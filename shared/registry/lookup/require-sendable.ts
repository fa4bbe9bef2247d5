import { Fault } from '../../kernel/errors.ts';
import type { RequestOptions } from '../../providers/types.ts';
import type { Entry } from '../entry.ts';

/** More than any model reads; converting all that a tenant may store takes more than a second. */
const MAX_CHARACTERS = 2 ** 23;

export const requireSendable = (entries: readonly Entry[], mode?: RequestOptions['mode']): void => {
  // Two tools are sent instead of these.
  if (mode === 'search') return;
  let characters = 0;
  for (const { answer } of entries) {
    characters += answer.body.length;
    if (characters > MAX_CHARACTERS)
      throw new Fault(
        'TooLarge',
        `these ${entries.length} tools have more than ${MAX_CHARACTERS} characters, too many for a request to a model; choose some by allowed, tags or category, or let the model find them with mode=search`,
        { tools: entries.length, limit: MAX_CHARACTERS },
      );
  }
};
