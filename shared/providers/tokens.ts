/**
 * Estimates the tokens of a text without a model's vocabulary: words and numbers by length, punctuation by runs, other
 * scripts by character, calibrated to the average of byte-pair encodings of English, code and JSON.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  let kind = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const next = code < 128 ? (KINDS[code] ?? MARK) : code < 0x2e80 ? FOREIGN : WIDE;
    if (next === kind) {
      run += 1;
      continue;
    }
    tokens += estimateCost(kind, run);
    kind = next;
    run = 1;
  }
  return Math.ceil(tokens + estimateCost(kind, run));
}

const SPACE = 1;
const WORD = 2;
const DIGIT = 3;
const MARK = 4;
const FOREIGN = 5;
const WIDE = 6;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return SPACE;
  if (/[A-Za-z]/.test(character)) return WORD;
  return /[0-9]/.test(character) ? DIGIT : MARK;
});

function estimateCost(kind: number, run: number): number {
  if (kind === WORD) return run <= 8 ? 1 : 1 + (run - 8) / 5;
  if (kind === MARK) return 0.5 + run * 0.2;
  if (kind === DIGIT) return Math.ceil(run / 3);
  if (kind === SPACE) return run > 1 ? 1 : 0;
  return kind === FOREIGN ? run / 3 : run * 0.75;
}
