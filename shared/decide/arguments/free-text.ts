import { termOf } from '../../search/text.ts';
import { knownWords } from '../../search/word-vectors.ts';
import type { Extraction } from './extract.ts';
import { type Reading, tokenAt } from './reading.ts';
import type { Slot } from './slot.ts';
import { overlaps, type Span } from './span.ts';

/** A string that is neither quoted nor a name: what stands after the slot's own word, or what the request is about. */
export const freeText = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  taken: readonly Span[],
  found: ReadonlyMap<string, Extraction>,
): Extraction | undefined => {
  if (found.has(slot.name) || TYPED.has(slot.kind) || slot.choices.length > 0) return undefined;
  return (
    written(slot, reading) ??
    afterId(slot, reading, taken) ??
    named(slot, slots, reading, taken) ??
    saidAs(slot, reading) ??
    (slot.required || slot.nameTerms.some((term) => SEARCHED.has(term))
      ? aboutness(slot, reading, taken, found)
      : undefined)
  );
};

/** What is to be taken word for word stands after the slot's own word, up to the end: `run the command ls -l`. */
const written = (slot: Slot, { text, tokens }: Reading): Extraction | undefined => {
  if (slot.kind !== 'text') return undefined;
  const at = tokens.findIndex((token) => slot.nameTerms.includes(token.term));
  const next = tokens[at + 1];
  if (at < 0 || next === undefined) return undefined;
  const value = text
    .slice(next.start)
    .replace(/^[:：]\s*/u, '')
    .replace(/[.!?]\s*$/u, '')
    .trim();
  return value === '' || /^(?:in|on|for|to|that|which|is|of|prompt|line|and|or)\b/iu.test(value)
    ? undefined
    : { value, confidence: 0.5, from: value };
};

/** `project ID badae`: an id may look like a word, but is none. */
const afterId = (slot: Slot, { text }: Reading, taken: readonly Span[]): Extraction | undefined => {
  if (slot.kind !== 'id') return undefined;
  const match =
    /(?<!\p{L})(?:id|uuid|identifier|code|key)(?!\p{L})\s?(?:(?:is|of)(?!\p{L})|:|=|#)?\s?([\p{L}\p{N}_-]{3,64})/iu.exec(
      text,
    );
  const value = match?.[1];
  if (match === null || value === undefined || knownWords().number(termOf(value.toLowerCase())) !== undefined)
    return undefined;
  const start = match.index + match[0].length - value.length;
  return termOf(value.toLowerCase()) === '' ||
    taken.some((span) => overlaps(span, { start, end: start + value.length }))
    ? undefined
    : { value, confidence: 0.6, from: value };
};

/** `genre jazz`, `the title should be Sunday`, `jazz genre`. */
const named = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  taken: readonly Span[],
): Extraction | undefined => {
  const { tokens, text } = reading;
  const own = slot.nameTerms.filter(
    (term) => !GENERIC.has(term) && slots.filter((other) => other.nameTerms.includes(term)).length === 1,
  );
  for (const [at, token] of tokens.entries()) {
    if (!own.includes(token.term)) continue;
    let next = at + 1;
    while (BINDING.has(tokens[next]?.lower ?? '')) next++;
    const explicit = next > at + 1;
    const end = phraseEnd(reading, next);
    if (!explicit || end <= next) continue;
    const [start, stop] = [tokens[next]?.start ?? 0, tokens[end - 1]?.end ?? 0];
    const value = text.slice(start, stop).trim();
    if (value === '' || taken.some((span) => overlaps(span, { start, end: stop }))) continue;
    return { value, confidence: 0.6, from: value };
  }
  return undefined;
};

/** `black as their special request`: what stands before `as` is what the slot gets. */
const saidAs = (slot: Slot, { tokens, text, spans }: Reading): Extraction | undefined => {
  for (const [at, token] of tokens.entries()) {
    if (!slot.nameTerms.includes(token.term) || GENERIC.has(token.term)) continue;
    const as = OWNING.has(tokens[at - 1]?.lower ?? '') ? at - 2 : at - 1;
    const before = tokens[as - 1];
    if (tokens[as]?.lower !== 'as' || before === undefined || !before.isWord) continue;
    const whole = spans.find((span) => span.end === before.end || span.end === before.end + 1);
    const value = whole?.text ?? before.text;
    if (termOf(value.toLowerCase()) !== '')
      return { value, confidence: 0.55, from: text.slice(whole?.start ?? before.start, before.end) };
  }
  return undefined;
};

/** Up to a mark, a conjunction or a preposition that starts something else. */
const phraseEnd = ({ tokens }: Reading, from: number): number => {
  let end = from;
  while (end < tokens.length && end < from + 8) {
    const token = tokens[end];
    if (token === undefined || !token.isWord || STOPPERS.has(token.lower)) break;
    end++;
  }
  return end;
};

/** What a request is about: the words after about, for, of or on; else what follows the words of asking. */
const aboutness = (
  slot: Slot,
  reading: Reading,
  taken: readonly Span[],
  found: ReadonlyMap<string, Extraction>,
): Extraction | undefined => {
  const { text } = reading;
  if (slot.required && USERS_WORDS.test(slot.description))
    return { value: text.trim(), confidence: 0.5, from: text.trim() };
  if (slot.kind === 'text' || slot.kind === 'query') {
    const after =
      /(?:\b(?:about|regarding|concerning|on the topic of|related to|for the (?:query|keyword|term)|search for|look up|say(?:ing)?|says)\s|[:：]\s)(.{2,400}?)(?:[.?!]\s|[.?!]?$)/iu.exec(
        text,
      );
    const value = after?.[1]?.trim();
    if (value !== undefined && value !== '') return { value: stripArticle(value), confidence: 0.45, from: value };
  }
  const chinese = slot.kind === 'text' || slot.kind === 'query' ? chineseObject(text) : undefined;
  if (chinese !== undefined) return chinese;
  if (slot.kind === 'query') {
    const value = text
      .replace(ASKING, '')
      .replace(/[.?!。？！]+$/u, '')
      .trim();
    return value === '' ? undefined : { value, confidence: 0.3, from: value };
  }
  const sort = beforeNoun(slot, reading);
  if (sort !== undefined) return sort;
  if (slot.kind === 'place') return undefined;
  const open = afterColon(text);
  if (open !== undefined && ![...found.values()].some(({ from }) => from === open.from)) return open;
  return leftOver(slot, reading, taken, found);
};

/** What stands after a colon at the end, when a person says `the following: ...`. */
const afterColon = (text: string): Extraction | undefined => {
  const value =
    /(?:verbatim|following|these words|as follows|here is|here's|this is|如下|以下)[^:：\n]{0,60}[:：](?:\s|\\n)*(.{2,400}?)[.!?]?$/iu.exec(
      text,
    )?.[1];
  return value === undefined ? undefined : { value, confidence: 0.5, from: value };
};

/** `a single room` answers room_type, `human cell` cell_type. */
const beforeNoun = (slot: Slot, { tokens }: Reading): Extraction | undefined => {
  const [noun, last] = slot.nameTerms.slice(-2);
  if (noun === undefined || last === undefined || !SORTS.has(last)) return undefined;
  const at = tokens.findIndex((token) => token.term === noun);
  const word = tokens[at - 1];
  if (word === undefined || !word.isWord || termOf(word.lower) === '' || at < 1) return undefined;
  return { value: word.text, confidence: 0.5, from: word.text };
};

const leftOver = (
  _slot: Slot,
  reading: Reading,
  taken: readonly Span[],
  found: ReadonlyMap<string, Extraction>,
): Extraction | undefined => {
  const used = [...found.values()].map(({ from }) => from.toLowerCase());
  for (const match of reading.text.matchAll(/\b(?:of|for|about|on|in)\s(?:the\s|an?\s|my\s)?/giu)) {
    const from = tokenAt(reading.tokens, match.index + match[0].length);
    const end = phraseEnd(reading, from);
    if (end <= from) continue;
    const [start, stop] = [reading.tokens[from]?.start ?? 0, reading.tokens[end - 1]?.end ?? 0];
    const value = reading.text.slice(start, stop);
    if (taken.some((span) => overlaps(span, { start, end: stop })) || used.includes(value.toLowerCase())) continue;
    if (value.split(' ').every((word) => termOf(word.toLowerCase()) === '')) continue;
    return { value, confidence: 0.3, from: value };
  }
  return undefined;
};

/** `把 X 翻译成法语`, `搜索X的新闻`: what is done something to, unless a word only points at it. */
const chineseObject = (text: string): Extraction | undefined => {
  const value = (CHINESE_OBJECT.exec(text) ?? CHINESE_SOUGHT.exec(text))?.[1]?.trim();
  return value === undefined || value === '' || /^(?:这|那|下面|以下|上面|它)/u.test(value)
    ? undefined
    : { value, confidence: 0.45, from: value };
};
const CHINESE_OBJECT = /[把将]\s?([^，。？！\n]{1,400}?)\s?(?:翻译|译成|译为|总结|改写|保存|写入|发送|发给)/u;
const CHINESE_SOUGHT =
  /(?:搜索|搜一下|查找|查询|查一下|关于)\s?([^，。？！\n]{1,60}?)(?:的?(?:新闻|信息|资料|文章|论文|内容|网页))?[。？！]?$/u;

/** What the user says is asked for as such. */
const USERS_WORDS =
  /(?:question|statement|message|utterance|request|complaint)s?\s(?:that (?:is|was)\s)?(?:posed|asked|made|stated|raised|given|entered|said) by the (?:user|customer|caller)|the (?:user|customer)['’]s (?:question|statement|message|utterance|exact words)|用户(?:的|所说的)?(?:原话|问题|消息)/iu;

const stripArticle = (text: string): string => text.replace(/^(?:the|an?|my|some|any)\s/iu, '');

const SEARCHED: ReadonlySet<string> = new Set(['queri', 'keyword', 'search', 'q']);
const SORTS: ReadonlySet<string> = new Set('type kind style categori class'.split(' '));
const TYPED: ReadonlySet<Slot['kind']> = new Set(['date', 'time', 'datetime', 'email', 'url']);
const GENERIC: ReadonlySet<string> = new Set('name type id valu number date text in of'.split(' '));
const BINDING: ReadonlySet<string> = new Set(
  'is are be of as to = : should named called titled being was equal equals by must will'.split(' '),
);
const OWNING: ReadonlySet<string> = new Set('the a an my our your his her its their'.split(' '));
const STOPPERS: ReadonlySet<string> = new Set(
  'and or in on at for from to with by of using that which who where when while if as but so including than until is are was were please 的 和'.split(
    ' ',
  ),
);
const ASKING =
  /^(?:(?:hi|hello|hey|please|can|could|would|will|you|kindly|i|we|want|wanna|need|like|would|to|help|me|us|let|know|tell|find|search|get|show|give|look|looking|for|up|what|who|where|when|which|how|is|are|was|were|the|a|an|my|some|any|information|details|about|on|of|trigger|web)\b[\s,;:'’]*)+/iu;
