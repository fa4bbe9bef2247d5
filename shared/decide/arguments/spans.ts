import { findMoments } from './moments.ts';
import { findPhones } from './phones.ts';
import { findChinesePlaces, findSmallPlaces } from './places.ts';
import { countsNext, findQuantities, sizes } from './quantities.ts';
import { overlaps, type Span, type SpanKind } from './span.ts';
import { CODES, PATTERNS, QUOTES } from './span-patterns.ts';
import type { Token } from './tokens.ts';

/** The spans of a task that may be values, in text order; of overlapping ones the more reliable kind is kept. */
export const findSpans = (text: string, tokens: readonly Token[], today: number | undefined): readonly Span[] => {
  const kept: Span[] = [];
  const add = (spans: readonly Span[], isOpen: (other: Span) => boolean = () => false): void => {
    for (const span of spans) {
      if (kept.length >= SPAN_LIMIT) return;
      if (!kept.some((other) => overlaps(span, other) && !isOpen(other))) kept.push(span);
    }
  };
  add(literals(text));
  add(PATTERNS.flatMap(({ kind, mark, pattern }) => (mark.test(text) ? matches(text, kind, pattern) : [])));
  add(quoted(text));
  add(findPhones(text));
  add(findMoments(text, today), ({ moment }) => moment?.counted === true);
  add(sizes(text));
  add(CODES.flatMap(({ mark, pattern }) => (mark.test(text) ? matches(text, 'code', pattern) : [])));
  // `in 3 weeks` is a date, or 3 for a slot that counts weeks.
  const quantities = findQuantities(text);
  const open = quantities.filter((span) => !kept.some((other) => overlaps(span, other)));
  const values = quantities.filter((span) => !countsNext(text, span, open));
  add(
    values,
    ({ moment, text: said }) =>
      moment?.counted === true || (moment?.relative === true && /\d|\p{L}+ \p{L}+/u.test(said)),
  );
  // `Yesterday` in `Yesterday by The Beatles` is a day or a name.
  add(properNames(text, tokens), ({ moment, text: said }) => moment?.relative === true && DAY_NAMED.test(said));
  add(findChinesePlaces(text));
  add(findSmallPlaces(text));
  return kept.sort((one, other) => one.start - other.start);
};

const matches = (text: string, kind: SpanKind, pattern: RegExp): readonly Span[] =>
  Array.from(text.matchAll(pattern), (match) => {
    const value = match[1] ?? match[0];
    const start = match.index + match[0].indexOf(value);
    return { kind, start, end: start + value.length, text: value };
  });

const quoted = (text: string): readonly Span[] =>
  QUOTES.filter(({ mark }) => mark.test(text))
    .flatMap(({ pattern }) =>
      Array.from(text.matchAll(pattern), (match) => ({
        kind: 'quoted' as const,
        start: match.index,
        end: match.index + match[0].length,
        text: (match[1] ?? '').trim(),
      })),
    )
    .filter((span) => span.text !== '');

/** Lists and objects as in a program: [1, 2], ['a', 'b'], {"a": {"b": 1}}; the outermost that can be parsed. */
const literals = (text: string): readonly Span[] => {
  const spans: Span[] = [];
  let tried = 0;
  for (const { start, end } of bracketed(text)) {
    if (start < (spans.at(-1)?.end ?? 0) || end - start < 3 || end - start > LITERAL_LIMIT) continue;
    if (++tried > SPAN_LIMIT) break;
    const said = text.slice(start, end);
    const literal = parseLiteral(said);
    if (literal !== undefined) spans.push({ kind: 'literal', start, end, text: said, literal });
  }
  return spans;
};

/** Pairs of matching brackets, in text order; strings in double quotes inside them are skipped. */
const bracketed = (text: string): readonly { readonly start: number; readonly end: number }[] => {
  const open: number[] = [];
  const pairs: { readonly start: number; readonly end: number }[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '{') open.push(at);
    else if (character === '"' && open.length > 0) at = stringEnd(text, at);
    else if (character === ']' || character === '}') {
      const start = open.at(-1);
      if (start === undefined || text[start] !== (character === ']' ? '[' : '{')) continue;
      open.pop();
      pairs.push({ start, end: at + 1 });
    }
  }
  return pairs.sort((one, other) => one.start - other.start);
};

/** The index of a string's closing quote, or of its opening quote if the string is not closed on the same line. */
const stringEnd = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return start;
};

const parseLiteral = (source: string): unknown => {
  for (const candidate of [
    source,
    source.replaceAll("'", '"').replaceAll('True', 'true').replaceAll('False', 'false'),
  ]) {
    try {
      return JSON.parse(candidate.replaceAll(/,\s*([\]}])/gu, '$1'));
    } catch {
      // The next candidate is tried; text in brackets that is not a literal is left to the other rules.
    }
  }
  if (!source.startsWith('[') || source.includes('{')) return undefined;
  const items = source
    .slice(1, -1)
    .split(',')
    .map((item) => item.trim());
  return items.every((item) => /^[\p{L}\p{N} _.-]+$/u.test(item)) ? items.map(asNumber) : undefined;
};

const asNumber = (item: string): unknown => (/^-?\d+(?:\.\d+)?$/u.test(item) ? Number(item) : item);

/** Runs of capitalised words, including linking words such as `of` inside a name. */
const properNames = (text: string, tokens: readonly Token[]): readonly Span[] => {
  const spans: Span[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (!startsName(tokens, at)) continue;
    let last = at;
    for (let next = at + 1; next < tokens.length; next++) {
      if (isCapital(tokens[next]) && joined(text, tokens, last, next) && !opensSentence(tokens, last, next))
        last = next;
      else if (!isLink(tokens[next]) || next - last > 4) break;
    }
    // The `'s` of McDonald's belongs to the name if no word follows.
    if (/^['’]s$/u.test(tokens[last + 1]?.text ?? '') && !tokens[last + 2]?.isWord) last++;
    const [start, end] = [tokens[at]?.start ?? 0, tokens[last]?.end ?? 0];
    spans.push({ kind: 'proper', start, end, text: text.slice(start, end) });
    at = last;
  }
  return spans;
};

const startsName = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  if (token === undefined || !isCapital(token)) return false;
  const before = tokens[at - 1];
  // After a comma, as in `..., Find me one`, a capitalised verb is not a name.
  if (before?.text === ',' && OPENING_WORDS.has(token.lower) && !isCapital(tokens[at + 1])) return false;
  const opens = before === undefined || /^[.!?:;\n]$/u.test(before.text);
  // The first word of a sentence has a capital anyway. It is a name only if it is not a usual opening word, and
  // another capital follows or it has other capitals or digits itself.
  return (
    !opens || (!OPENING_WORDS.has(token.lower) && (isCapital(tokens[at + 1]) || !/^[A-Z][a-z]+$/u.test(token.text)))
  );
};

/** Whether a new sentence starts after a dot, as in `Liverpool F.C. Include its statistics`. */
const opensSentence = (tokens: readonly Token[], last: number, next: number): boolean =>
  (tokens[last]?.text.endsWith('.') ?? false) && OPENING_WORDS.has(tokens[next]?.lower ?? '');

const isCapital = (token: Token | undefined): boolean =>
  token !== undefined && /^[\p{Lu}]/u.test(token.text) && !NEVER_NAMES.has(token.lower);

const isLink = (token: Token | undefined): boolean =>
  token !== undefined && (LINKS.has(token.lower) || /^[-&.'’]$/u.test(token.text));

/** Whether only a space, an initial's dot, a hyphen or linking words separate two parts of a name. */
const joined = (text: string, tokens: readonly Token[], last: number, next: number): boolean => {
  const between = text.slice(tokens[last]?.end, tokens[next]?.start);
  if (/^(?:[ '’.-]{1,2}|\s?&\s?)$/u.test(between))
    return !/^\.\s/u.test(between) || /^(?:\p{Lu}|Mrs?|Ms|Dr|St|Mt|Jr|Sr|Ave|No)$/u.test(tokens[last]?.text ?? '');
  const links = tokens.slice(last + 1, next).filter((token) => token.isWord);
  return links.length > 0 && links.length <= 2 && links.every(isLink) && !/[,.;:]/u.test(between);
};

/** No call has this many arguments; a text with more values is a document, and only the first ones are used. */
const SPAN_LIMIT = 200;
/** Nobody writes a longer literal into a request. */
const LITERAL_LIMIT = 4000;
const LINKS: ReadonlySet<string> = new Set(
  'of the de la le les los las es au aux sur do dos das van von der den da di du del el al bin'.split(' '),
);
const OPENING_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those my our your his her their its it he she they we you i what who when where which why how
  whose is are was were do does did can could would will should may might have has had please find get show give tell
  search calculate compute determine create make generate book order buy add remove delete update set send write list
  convert translate compare analyze check look help let use play start stop open close retrieve fetch provide identify
  predict estimate solve plot draw design plan schedule arrange locate explore recommend suggest summarize describe
  explain print sort filter register change move copy run execute call in on at for from to with by if also and or but
  so then next first hi hello hey thanks thank yes no ok okay sure need want looking i'm im hire purchase reserve
  evaluate assess include classify detect extract format parse review track monitor read save load download upload`.split(
    /\s+/u,
  ),
);
const DAY_NAMED = /^(?:Today|Tomorrow|Yesterday|Tonight)$/u;
/** Words with capitals that are not names: `I`, and labels of values such as `ID`. */
const NEVER_NAMES: ReadonlySet<string> = new Set(
  `i i'm i've i'd i'll i’m i’ve i’d i’ll id ids uuid url uri`.split(' '),
);
