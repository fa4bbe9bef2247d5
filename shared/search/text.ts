import { stemmer } from 'stemmer';

/** The most characters of a text that are read, so that a huge text costs no more than a long one. */
export const TEXT_LIMIT = 16_384;

/** The terms of a text in order: identifiers split, stop words left out, English stemmed, Chinese in bigrams. */
export const termsOf = (text: string, limit = TEXT_LIMIT): string[] => {
  const terms: string[] = [];
  forEachWord(text, limit, (word) => {
    const term = termOf(word);
    if (term !== '') terms.push(term);
  });
  return terms;
};

/** The words of a text in order, lower case, identifiers split, Chinese in bigrams; nothing left out. */
export const wordsOf = (text: string, limit = TEXT_LIMIT): string[] => {
  const words: string[] = [];
  forEachWord(text, limit, (word) => words.push(word));
  return words;
};

/** The index term of a word: its stem, after expanding abbreviations; empty for a stop word. */
export const termOf = (word: string): string => {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const term = isStopWord(word) ? '' : stemOf(ABBREVIATIONS.get(word) ?? word);
  if (stems.size >= STEMS_LIMIT) stems.clear();
  stems.set(word, term);
  return term;
};

// Catalogues repeat their words, and stemming is most of the cost of reading one.
const stems = new Map<string, string>();
const STEMS_LIMIT = 50_000;

/** Porter's rules are for English only; words with digits or of other scripts stay as they are. */
const stemOf = (word: string): string =>
  word.length > 2 && word.length <= 32 && ENGLISH.test(word) ? stemmer(word) : word;

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/** Splits `getHTTPStatus_code` into get, http, status and code. */
export const splitIdentifier = (name: string): string[] => wordsOf(name, 1024);

const forEachWord = (text: string, limit: number, visit: (word: string) => void): void => {
  const bounded = text.length > limit ? text.slice(0, limit) : text;
  if (ASCII.test(bounded)) forEachAsciiWord(bounded, visit);
  else forEachRun(bounded, visit);
};

const forEachRun = (text: string, visit: (word: string) => void): void => {
  for (const match of text.normalize('NFKD').replace(MARKS, '').matchAll(RUNS)) {
    const run = match[0];
    if (UNSPACED.test(run)) forEachBigram(run, visit);
    else if (ASCII.test(run)) forEachAsciiWord(run, visit);
    else visit(run.slice(0, WORD_LIMIT).toLowerCase());
  }
};

/** One pass over character codes: regular expressions cost several times as much when a catalogue is loaded. */
const forEachAsciiWord = (text: string, visit: (word: string) => void): void => {
  let start = -1;
  let previous = OTHER;
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? (KINDS[text.charCodeAt(at)] ?? OTHER) : OTHER;
    if (start >= 0 && endsWord(text, at, previous, kind)) {
      visit(text.slice(start, Math.min(at, start + WORD_LIMIT)).toLowerCase());
      start = -1;
    }
    if (start < 0 && kind !== OTHER) start = at;
    previous = kind;
  }
};

const endsWord = (text: string, at: number, previous: number, kind: number): boolean => {
  if (kind === OTHER) return true;
  if (kind === UPPER) {
    // The last capital of a run belongs to the word that follows it: HTTPStatus is HTTP and Status.
    return (
      previous === LOWER || (previous === UPPER && KINDS[text.charCodeAt(at + 1)] === LOWER && !isPlural(text, at))
    );
  }
  return false;
};

/** `IDs` and `URLs` are one word each. */
const isPlural = (text: string, at: number): boolean =>
  text.charCodeAt(at + 1) === LOWER_S && (KINDS[text.charCodeAt(at + 2)] ?? OTHER) === OTHER;

const forEachBigram = (run: string, visit: (word: string) => void): void => {
  const characters = [...run];
  if (characters.length === 1) visit(run);
  for (let at = 0; at + 1 < characters.length; at++) visit(`${characters[at]}${characters[at + 1]}`);
};

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const LOWER_S = 115;
const WORD_LIMIT = 64;

const kindOf = (code: number): number => {
  const character = String.fromCharCode(code);
  if (character >= 'a' && character <= 'z') return LOWER;
  if (character >= 'A' && character <= 'Z') return UPPER;
  return character >= '0' && character <= '9' ? DIGIT : OTHER;
};
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(code));

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;
const ENGLISH = /^[a-z]+$/;
const MARKS = /\p{M}+/gu;
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Abbreviations common in names of tools and parameters, with the words that people use. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  `info information, img image, pic picture, msg message, num number, addr address, config configuration, db database,
  repo repository, dir directory, auth authentication, calc calculate, avg average, qty quantity, lang language,
  stats statistics, desc description, param parameter, params parameters, env environment, doc document, docs documents,
  max maximum, min minimum, lat latitude, lon longitude, lng longitude, tz timezone, txt text, pwd password, temp temperature`
    .split(',')
    .map((pair) => pair.trim().split(/\s+/u) as [string, string]),
);

/** Words that carry no meaning of their own in a request or a description. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could d did do does doing don down during each either else etc few for from further had has have having he her
  here hers herself him himself his how i if in into is it its itself just let like ll m many may me might more most
  much must my myself need needs no nor not now of off on once one only or other our ours ourselves out over own per
  please re s same shall she should so some such t than that the their theirs them themselves then there these they
  this those through to too under until up upon us use used using ve very via want wants was we were what when
  where which while who whom whose why will with within without would you your yours yourself
  请帮 帮我 我想 想要 一下 告诉 诉我 可以 能否 是否 什么 怎么 如何 这个 那个 一个 我们 你们 我的 你的 给我 请问 的话`.split(
    /\s+/u,
  ),
);
