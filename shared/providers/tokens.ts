/**
 * An estimate of the tokens a text takes, without any model's vocabulary: words by length, digits by threes,
 * punctuation by pairs, as byte-pair encodings of English and JSON come out; other scripts by character.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run, word, digits, space, marks] of text.matchAll(RUNS)) {
    if (word) tokens += Math.max(1, Math.ceil(word.length / 6));
    else if (digits) tokens += Math.ceil(digits.length / 3);
    else if (space) tokens += space.length > 1 ? 1 : 0;
    else if (marks) tokens += Math.ceil(marks.length / 2.2);
    else tokens += run.length * 0.8;
  }
  return Math.ceil(tokens);
}

const RUNS = /([A-Za-z]+)|([0-9]+)|(\s+)|([!-/:-@[-`{-~]+)|[^\s!-~]+/g;
