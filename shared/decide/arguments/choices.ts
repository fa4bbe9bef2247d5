import { splitIdentifier, termOf } from '../../search/text.ts';
import { knownWords } from '../../search/word-vectors.ts';
import { contextOf } from './cues.ts';
import type { Extraction } from './extract.ts';
import type { Reading } from './reading.ts';
import { roleOf, saidRole } from './roles.ts';
import type { Slot } from './slot.ts';
import type { SpanKind } from './span.ts';
import type { Token } from './tokens.ts';

/** Numbers on offer are chosen as numbers are: by what stands beside them. */
export const isNumeric = ({ choices }: Slot): boolean =>
  choices.length > 0 &&
  choices.every(
    ({ value, phrases }) => phrases[0] === String(value) && (IDLE.has(String(value)) || Number.isFinite(Number(value))),
  );

/** `True` and `False` as strings, with or without a word for neither. */
export const isYesNo = ({ choices }: Slot): boolean =>
  choices.some(({ value }) => /^true$/iu.test(String(value))) &&
  choices.some(({ value }) => /^false$/iu.test(String(value)));

/** The offered value that the text names, by its own word, a form of it, or a near word. */
export const chosen = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): Extraction | undefined => {
  let best: { value: unknown; score: number; from: string } | undefined;
  for (const { value, phrases } of slot.choices) {
    if (IDLE.has(String(value).toLowerCase())) continue;
    for (const phrase of phrases) {
      const match = mention(phrase, slot, reading, subject);
      if (match !== undefined && match.score > (best?.score ?? 0)) best = { value, ...match };
    }
  }
  if (best === undefined || best.score < (slot.required ? 0.4 : 0.55)) return undefined;
  return { value: best.value, confidence: Math.min(0.95, best.score), from: best.from };
};

/** The examples of the description that the text has word for word. */
export const examplesSaid = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): readonly Extraction[] =>
  slot.examples.flatMap((example) => {
    const wanted = termsIn(example);
    if (wanted.length === 0 || IDLE.has(example.toLowerCase()) || isSlight(splitIdentifier(example))) return [];
    if (wanted.every((term) => slot.nameTerms.includes(term) || subject.has(term))) return [];
    const run = findRun(wanted, reading);
    return run === undefined ? [] : [{ value: example, confidence: 0.75, from: run.text }];
  });

const mention = (phrase: string, slot: Slot, reading: Reading, subject: ReadonlySet<string>) => {
  const wanted = termsIn(phrase);
  if (wanted.length === 0) return undefined;
  const outside = findRun(wanted, reading, (token) => !isInAddress(token, reading));
  const exact = outside ?? findRun(wanted, reading);
  if (exact === undefined) return shortMention(phrase, reading) ?? nearMention(wanted, slot, reading, subject);
  // A short or common word may be there for another reason, unless the slot is named beside it.
  const doubtful = isSlight(splitIdentifier(phrase)) && !besideSlot(exact.start, exact.end, slot, reading);
  // The png of cat.png is part of a name.
  if (outside === undefined) return { score: 0.5, from: exact.text };
  // Of English and Danish in `from English to Danish` the one after `to` is the target.
  const role = 0.08 * roleOf(slot) * saidRole(reading, exact.start);
  return { score: (doubtful ? 0.4 : 0.82 + Math.min(0.1, wanted.length * 0.03)) + role, from: exact.text };
};

const termsIn = (phrase: string): readonly string[] => splitIdentifier(phrase).map((word) => termOf(word) || word);

const isSlight = (wanted: readonly string[]): boolean => {
  const joined = wanted.join(' ');
  return (joined.length <= 2 && !/\d/u.test(joined)) || COMMON.has(joined);
};

const isInAddress = ({ start, end }: Token, { spans }: Reading): boolean =>
  spans.some((span) => ADDRESSES.has(span.kind) && span.start <= start && end <= span.end);

const ADDRESSES: ReadonlySet<SpanKind> = new Set<SpanKind>(['path', 'url', 'email']);

const findRun = (
  wanted: readonly string[],
  { tokens, text }: Reading,
  counts: (token: Token) => boolean = () => true,
) => {
  const words = tokens.filter((token) => token.isWord && counts(token));
  const joined = wanted.join('');
  for (const [at, token] of words.entries()) {
    if (token.term === joined || token.lower === joined)
      return { start: token.start, end: token.end, text: token.text };
    if (!wanted.every((term, offset) => words[at + offset]?.term === term || words[at + offset]?.lower === term))
      continue;
    const end = words[at + wanted.length - 1]?.end ?? token.end;
    return { start: token.start, end, text: text.slice(token.start, end) };
  }
  return undefined;
};

/** `desc` on offer is meant by `descending`: the start of a word, and no word of its own. */
const shortMention = (phrase: string, { tokens }: Reading) => {
  const short = phrase.toLowerCase();
  if (!/^[a-z]{3,5}$/u.test(short) || knownWords().number(short) !== undefined) return undefined;
  const token = tokens.find(({ lower }) => lower.length > short.length + 2 && lower.startsWith(short));
  return token === undefined ? undefined : { score: 0.8, from: token.text };
};

/** Near words count only when they are not what the tool is about anyway: `movie` does not choose the genre. */
const nearMention = (wanted: readonly string[], slot: Slot, { tokens }: Reading, subject: ReadonlySet<string>) => {
  const near = wanted.map((term) => nearest(term, slot, tokens, subject));
  const mean = near.reduce((sum, { similarity }) => sum + similarity, 0) / near.length;
  const beside = near.every(({ token }) => token !== undefined && isBeside(token, slot, tokens));
  if (mean < (slot.required ? NEAR_REQUIRED : beside ? NEAR_NAMED : NEAR)) return undefined;
  return { score: 0.2 + mean * 0.5 + (beside ? 0.15 : 0), from: near.map(({ token }) => token?.text ?? '').join(' ') };
};

/** The word of the text that comes nearest to a term. */
const nearest = (term: string, slot: Slot, tokens: readonly Token[], subject: ReadonlySet<string>) => {
  const words = knownWords();
  let best: { readonly similarity: number; readonly token?: Token } = { similarity: 0 };
  for (const token of tokens) {
    if (!token.isWord || termOf(token.lower) === '') continue;
    const own = subject.has(token.term) || slot.nameTerms.includes(token.term);
    const similarity = sameStart(term, token.term) ? 0.85 : own ? 0 : words.similarity(term, token.term);
    if (similarity > best.similarity) best = { similarity, token };
  }
  return best;
};

export const sameStart = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one));

/** `the comic genre`, `genre: comic`: the slot is named just before or after. */
const isBeside = (said: Token, slot: Slot, tokens: readonly Token[]): boolean => {
  const at = tokens.indexOf(said);
  return [tokens[at - 1], tokens[at + 1]].some((token) => token !== undefined && slot.nameTerms.includes(token.term));
};

const besideSlot = (start: number, end: number, slot: Slot, reading: Reading): boolean =>
  contextOf(reading, { kind: 'phrase', start, end, text: '' }).some(({ term }) => slot.nameTerms.includes(term));

const NEAR = 0.62;
const NEAR_REQUIRED = 0.45;
const NEAR_NAMED = 0.45;
const IDLE: ReadonlySet<string> = new Set([
  'dontcare',
  'any',
  'none',
  'null',
  'n/a',
  'default',
  'other',
  '',
  'true',
  'false',
]);
const COMMON: ReadonlySet<string> = new Set(
  'all on off in to get post put other good new open low high my now'.split(' '),
);
