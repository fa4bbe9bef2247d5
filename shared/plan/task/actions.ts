import { intentsOfRequest } from '../../search/intents.ts';
import { splitIdentifier } from '../../search/text.ts';
import type { IsAction } from './split.ts';

/** The words that say what to do: verbs of the intents, and the words that tools are named by. */
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

// Common in requests, and neither an intent's word nor a tool's.
const VERBS = new Set(['tell', 'email', 'mail', 'resize', 'hash', 'encode', 'decode', 'count', 'diff', 'summarise']);
