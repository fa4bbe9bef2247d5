import { intentsOfRequest } from '../../search/intents.ts';
import { splitIdentifier } from '../../search/text.ts';
import type { IsAction } from './split.ts';

/** Recognises words that name an action: verbs of the intents, and the first words of tool names. */
export const actionWords = (names: Iterable<string>): IsAction => {
  const words = new Set([...names].flatMap((name) => splitIdentifier(name).slice(0, 1)));
  return (word) => {
    if (/\p{Script=Han}/u.test(word)) return intentsOfRequest(word).length > 0;
    return (
      VERBS.has(word) ||
      words.has(word) ||
      (word.length > 2 && intentsOfRequest(word).some(({ votes }) => votes >= 0.5))
    );
  };
};

// Common verbs of requests that neither an intent nor a tool name has.
const VERBS = new Set(['tell', 'email', 'mail', 'resize', 'hash', 'encode', 'decode', 'count', 'diff', 'summarise']);
