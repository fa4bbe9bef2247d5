/** Signs of prompt injection in a text. All patterns are bounded, so they take linear time. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|your)\b.{0,30}\b(?:instruction|prompt|rule|guideline)s?\b/is,
    'tells to ignore other instructions',
  ],
  [/<\/?\s*(?:important|system|instructions?|secret|admin|hidden)\s*>/i, 'has marks that pretend to be instructions'],
  [
    /\b(?:do not|don't|never|without)\b.{0,20}\b(?:tell|inform|mention|notify|reveal|show|ask)(?:ing)?\b.{0,40}\b(?:user|human|person|anyone|them)\b/is,
    'tells to hide something from the person',
  ],
  [
    /\b(?:send|forward|post|upload|include|pass|attach|append|read)\b.{0,80}(?:\bapi[ _-]?keys?\b|\bpasswords?\b|\bcredentials?\b|\bprivate key\b|\bsystem prompt\b|\bconversation history\b|\bid_rsa\b|~\/\.|\.env\b)/is,
    'asks for secrets',
  ],
  [/\byou are (?:now|no longer)\b/i, 'gives the model another role'],
  [
    /\b(?:before|whenever|each time|every time)\b.{0,60}\b(?:you )?(?:use|using|call|calling|invoke|invoking)\b.{0,80}\b(?:must|always|first)\b.{0,40}\b(?:call|use|invoke|run|read)\b/is,
    'tells when to call another tool',
  ],
  // Tags, direction overrides and zero-width characters: text that a model reads and a person does not see.
  [/[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200B\u2060-\u2064]/u, 'has characters that nobody sees'],
];

const MAX_TEXT = 100_000;

/** Why a text looks like prompt injection; empty when it does not. It is a flag for people, not a filter. */
export const findInstructions = (text: string): readonly string[] => {
  const seen = text.slice(0, MAX_TEXT);
  return SIGNS.filter(([sign]) => sign.test(seen)).map(([, meaning]) => meaning);
};

/** All texts of a value, including names: a model reads them all. */
export const textsIn = (value: unknown): string => {
  const texts: string[] = [];
  let left = MAX_TEXT;
  const visit = (each: unknown, depth: number): void => {
    if (left <= 0 || depth > 32) return;
    if (typeof each === 'string') {
      texts.push(each);
      left -= each.length;
    } else if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each)) {
        if (!Array.isArray(each)) visit(key, depth + 1);
        visit(inner, depth + 1);
      }
  };
  visit(value, 0);
  return texts.join('\n');
};
