import { isStopWord } from '../../search/text.ts';
import { knownWords } from '../../search/word-vectors.ts';
import { segmentsOf } from './chinese-segments.ts';
import type { Span, SpanKind } from './span.ts';
import type { Token } from './tokens.ts';

/** Consecutive words that may be a value although nothing marks them as one. */
export interface Phrase {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly terms: readonly string[];
  /** The words before and after it in lower case; empty at punctuation or an end of the text. */
  readonly before: string;
  readonly after: string;
  /** Whether it begins and ends where its chunk does. */
  readonly opens: boolean;
  readonly closes: boolean;
  /** How rare its words are, from 0 to 1. */
  readonly worth: number;
}

/** The chunks of a text between linking words and punctuation, whole and in parts; Chinese is segmented. */
export const phrasesOf = (text: string, tokens: readonly Token[], spans: readonly Span[]): readonly Phrase[] => {
  const fixed = spans.filter(({ kind }) => FIXED.has(kind));
  const phrases: Phrase[] = [];
  const chunks = chunksOf(tokens, fixed);
  for (const chunk of chunks) {
    const edges = edgesOf(chunk);
    for (let from = 0; from < chunk.length && phrases.length < LIMIT; from++) {
      for (let to = from; to < Math.min(chunk.length, from + LONGEST); to++) {
        // A value begins or ends where its chunk does; a phrase that does neither is a fragment.
        if (from > edges.first && to < edges.last) continue;
        const [first, last] = [chunk[from] as Placed, chunk[to] as Placed];
        if (isStopWord(first.lower) || isStopWord(last.lower)) continue;
        // A hyphenated word such as `e-mails` is not split.
        if (
          HYPHENS.test(text.slice(last.end, last.end + 2)) ||
          AFTER_HYPHEN.test(text.slice(Math.max(0, first.start - 2), first.start))
        )
          continue;
        phrases.push(phraseOf(text, tokens, chunk, edges, from, to));
      }
    }
  }
  return [...phrases, ...segmentsOf(text, fixed), ...joinedByOf(text, tokens, chunks)].slice(0, LIMIT);
};

/** Phrases across `of`: `the theory of relativity` may be one value, not two. */
const joinedByOf = (
  text: string,
  tokens: readonly Token[],
  chunks: readonly (readonly Placed[])[],
): readonly Phrase[] =>
  chunks.flatMap((chunk, at) => {
    const [last, next] = [chunk.at(-1), chunks[at + 1]];
    const first = next?.[0];
    if (last === undefined || next === undefined || first === undefined) return [];
    if (!OF.test(text.slice(last.end, first.start)) || isStopWord(last.lower)) return [];
    const both = [...chunk.slice(-LONGEST), ...next.slice(0, LONGEST)];
    const from = Math.min(chunk.length, LONGEST) - 1;
    return isStopWord(both.at(-1)?.lower ?? '')
      ? []
      : [phraseOf(text, tokens, both, edgesOf(both), from, both.length - 1)];
  });
const OF = /^ of (?:the )?$/u;

interface Placed extends Token {
  readonly at: number;
}

/** The indices of the first and the last word of a chunk that are not stop words. */
interface Edges {
  readonly first: number;
  readonly last: number;
}

const edgesOf = (chunk: readonly Placed[]): Edges => {
  const first = chunk.findIndex(({ lower }) => !isStopWord(lower));
  const last = chunk.findLastIndex(({ lower }) => !isStopWord(lower));
  return { first: first < 0 ? chunk.length : first, last };
};

const phraseOf = (
  text: string,
  tokens: readonly Token[],
  chunk: readonly Placed[],
  edges: Edges,
  from: number,
  to: number,
): Phrase => {
  const [first, last] = [chunk[from] as Placed, chunk[to] as Placed];
  const terms = chunk.slice(from, to + 1).map(({ term }) => term);
  const words = knownWords();
  return {
    start: first.start,
    end: last.end,
    text: text.slice(first.start, last.end),
    terms,
    before: wordOf(tokens[first.at - 1]),
    after: wordOf(tokens[last.at + 1]),
    opens: from <= edges.first,
    closes: to >= edges.last,
    worth: terms.reduce((sum, term) => sum + words.worth(term), 0) / terms.length,
  };
};

const wordOf = (token: Token | undefined): string => (token?.isWord ? token.lower : '');

/** Runs of words without punctuation, linking words or values of another kind between them. */
const chunksOf = (tokens: readonly Token[], fixed: readonly Span[]): readonly (readonly Placed[])[] => {
  const chunks: Placed[][] = [[]];
  for (const [at, token] of tokens.entries()) {
    const inside = fixed.some(({ start, end }) => token.start < end && start < token.end);
    const ends = !token.isWord || inside || LINKS.has(token.lower) || HAN.test(token.text);
    if (ends && !(JOINTS.test(token.text) && !inside)) chunks.push([]);
    else if (token.isWord) chunks.at(-1)?.push({ ...token, at });
  }
  return chunks.filter((chunk) => chunk.some(({ isSmall }) => !isSmall));
};

const LIMIT = 48;
const LONGEST = 5;
const HAN = /^\p{Script=Han}/u;
const HYPHENS = /^-\p{L}/u;
const AFTER_HYPHEN = /\p{L}-$/u;
const JOINTS = /^[-'’&/]$/u;
/** Spans of these kinds are not part of a phrase. */
const FIXED: ReadonlySet<SpanKind> = new Set<SpanKind>([
  'quoted',
  'literal',
  'email',
  'url',
  'path',
  'moment',
  'phone',
  'number',
]);
const LINKS: ReadonlySet<string> = new Set(
  'and or in on at for from to with by of using that which who where when while if as but so than until is are was were be please into about via between including'.split(
    ' ',
  ),
);
