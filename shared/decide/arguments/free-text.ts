import { termOf } from '../../search/text.ts';
import { knownWords } from '../../search/word-vectors.ts';
import type { Proposal, Source } from './proposal.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';

/** Strings that are neither quoted nor a name: the words after the slot's name, or the topic of the request. */
export const freeTexts = (slot: Slot, slots: readonly Slot[], reading: Reading): readonly Proposal[] => {
  if (TYPED.has(slot.kind) || slot.choices.length > 0 || slot.type !== 'string') return [];
  const searched = slot.kind === 'text' || slot.kind === 'query';
  return [
    ...written(slot, reading),
    ...afterId(slot, reading),
    ...labelled(slot, slots, reading),
    ...saidAs(slot, reading),
    ...(USERS_WORDS.test(slot.description) ? [whole(reading)] : []),
    ...(searched ? [...about(reading), ...chineseObject(reading), ...rest(slot, reading)] : []),
    ...(slot.kind === 'id' ? [] : afterColon(reading)),
    ...beforeNoun(slot, reading),
  ];
};

const piece = (start: number, value: string, source: Source, own: number): Proposal => ({
  value,
  start,
  end: start + value.length,
  from: value,
  source,
  own,
});

/** Verbatim text after the slot's name up to the end, or before it, as in `using the ls -l command`. */
const written = (slot: Slot, reading: Reading): readonly Proposal[] => {
  if (slot.kind !== 'text') return [];
  const { tokens } = reading;
  const own = tokens.flatMap((token, at) => (slot.nameTerms.includes(token.term) ? [at] : []));
  return [...new Set([own[0], own.at(-1)])].flatMap((at) =>
    at === undefined ? [] : [...writtenAfter(reading, at), ...writtenBefore(reading, at)],
  );
};

const writtenAfter = ({ text, tokens }: Reading, at: number): readonly Proposal[] => {
  let next = at + 1;
  while (CALLED.has(tokens[next]?.lower ?? '')) next++;
  const start = tokens[next]?.start;
  if (start === undefined) return [];
  const value = text
    .slice(start)
    .replace(/[.!?]\s*$/u, '')
    .trimEnd();
  return value === '' || /^(?:in|into|on|as|for|from|to|that|which|is|of|prompt|line|and|or)\b/iu.test(value)
    ? []
    : [piece(start, value, 'written', 0.5)];
};
const CALLED: ReadonlySet<string> = new Set([':', '：', 'called', 'named']);

const writtenBefore = ({ text, tokens }: Reading, at: number): readonly Proposal[] => {
  const before = text.slice(0, tokens[at]?.start ?? 0);
  const value = USING.exec(before)?.[1];
  return value === undefined || !/[^\p{L}\p{N}\s'’,-]/u.test(value)
    ? []
    : [piece(before.lastIndexOf(value), value, 'written', 0.6)];
};
const USING = /\b(?:us(?:e|ing)|run(?:ning)?|with|via|through) (?:the )?(\S(?:.{0,200}\S)?)\s$/iu;

/** Ids such as that of `project ID badae`: they may look like a word, but are not a known one. */
const afterId = (slot: Slot, { text }: Reading): readonly Proposal[] => {
  if (slot.kind !== 'id') return [];
  return Array.from(text.matchAll(AFTER_ID)).flatMap((match) => {
    const value = match[1] ?? '';
    const term = termOf(value.toLowerCase());
    if (term === '' || knownWords().number(term) !== undefined) return [];
    return [piece(match.index + match[0].length - value.length, value, 'identifier', 0.6)];
  });
};
const AFTER_ID =
  /(?<!\p{L})(?:id|uuid|identifier|code|key|number)(?!\p{L})\s?(?:(?:is|of)(?!\p{L})|:|=|#)?\s?([\p{L}\p{N}_-]{3,64})/giu;

/** The phrase after the slot's name, as in `genre: jazz` or `the title should be Sunday`. */
const labelled = (slot: Slot, slots: readonly Slot[], reading: Reading): readonly Proposal[] => {
  const { tokens, text } = reading;
  const own = slot.nameTerms.filter(
    (term) => !GENERIC.has(term) && slots.filter((other) => other.nameTerms.includes(term)).length === 1,
  );
  return tokens.flatMap((token, at) => {
    if (!own.includes(token.term)) return [];
    let next = at + 1;
    while (BINDING.has(tokens[next]?.lower ?? '')) next++;
    const end = phraseEnd(reading, next);
    if (next === at + 1 || end <= next) return [];
    const [start, stop] = [tokens[next]?.start ?? 0, tokens[end - 1]?.end ?? 0];
    return [piece(start, text.slice(start, stop), 'labelled', 0.6)];
  });
};

/** The value before `as` and the slot's name, as in `black as their special request`. */
const saidAs = (slot: Slot, { tokens, spans }: Reading): readonly Proposal[] =>
  tokens.flatMap((token, at) => {
    if (!slot.nameTerms.includes(token.term) || GENERIC.has(token.term)) return [];
    const as = OWNING.has(tokens[at - 1]?.lower ?? '') ? at - 2 : at - 1;
    const before = tokens[as - 1];
    if (tokens[as]?.lower !== 'as' || before === undefined || !before.isWord) return [];
    const span = spans.find(({ end }) => end === before.end || end === before.end + 1);
    const value = span?.text ?? before.text;
    return termOf(value.toLowerCase()) === '' ? [] : [piece(span?.start ?? before.start, value, 'said_as', 0.55)];
  });

/** The token after a phrase, which ends at punctuation, a conjunction or a preposition. */
const phraseEnd = ({ tokens }: Reading, from: number): number => {
  let end = from;
  while (end < tokens.length && end < from + 8) {
    const token = tokens[end];
    if (token === undefined || !token.isWord || STOPPERS.has(token.lower)) break;
    end++;
  }
  return end;
};

const whole = ({ text }: Reading): Proposal => piece(text.length - text.trimStart().length, text.trim(), 'whole', 0.5);

/** The words after about, regarding, saying and the like, up to the end of the sentence. */
const about = ({ text }: Reading): readonly Proposal[] =>
  Array.from(text.matchAll(ABOUT))
    .slice(0, 3)
    .flatMap((match) => {
      const said = (match[1] ?? '').replace(/^(?:the|an?|my|some|any)\s/iu, '').trim();
      const start = match.index + match[0].indexOf(said, match[0].length - (match[1] ?? '').length - 2);
      return said === '' ? [] : [piece(start, said, 'about', 0.45)];
    });
const ABOUT =
  /(?:\b(?:about|regarding|concerning|on the topic of|related to|for the (?:query|keyword|term)|search for|look up|say(?:ing)?|says)\s|[:：]\s)(.{2,400}?)(?=[.?!]\s|[.?!]?$)/giu;

/** The request without its opening, such as `can you find`. Without an opening it may be a query, but not a text. */
const rest = ({ kind }: Slot, { text }: Reading): readonly Proposal[] => {
  const lead = ASKING.exec(text)?.[0].length ?? 0;
  if (kind === 'text' && (lead === 0 || /^(?:at|in|on|from|to|with|by)\s/iu.test(text.slice(lead)))) return [];
  const value = text.slice(lead).replace(/[.?!。？！\s]+$/u, '');
  return value === '' ? [] : [piece(lead, value, 'rest', 0.3)];
};

/** The text after the colon of `the following: ...` at the end of a request. */
const afterColon = ({ text }: Reading): readonly Proposal[] => {
  const match = FOLLOWING.exec(text);
  const value = match?.[1];
  return match === null || value === undefined
    ? []
    : [piece(match.index + match[0].lastIndexOf(value), value, 'colon', 0.5)];
};
const FOLLOWING =
  /(?:verbatim|following|these words|as follows|here is|here's|this is|如下|以下)[^:：\n]{0,60}[:：](?:\s|\\n)*(.{2,400}?)[.!?]?$/iu;

/** The word before a noun: `a single room` fills room_type, `human cell` fills cell_type. */
const beforeNoun = (slot: Slot, { tokens }: Reading): readonly Proposal[] => {
  const [noun, last] = slot.nameTerms.slice(-2);
  if (noun === undefined || last === undefined || !SORTS.has(last)) return [];
  return tokens.flatMap((token, at) => {
    const word = tokens[at - 1];
    if (token.term !== noun || word === undefined || !word.isWord || word.isSmall) return [];
    return [piece(word.start, word.text, 'sort', 0.5)];
  });
};

/** The object of a Chinese verb, X in `把 X 翻译成法语` or `搜索X的新闻`, unless it is a pronoun. */
const chineseObject = ({ text }: Reading): readonly Proposal[] => {
  const match = CHINESE_OBJECT.exec(text) ?? CHINESE_SOUGHT.exec(text);
  const value = match?.[1]?.trim();
  return match === null || value === undefined || value === '' || /^(?:这|那|下面|以下|上面|它)/u.test(value)
    ? []
    : [piece(match.index + match[0].indexOf(value), value, 'object', 0.45)];
};
const CHINESE_OBJECT = /[把将]\s?([^，。？！\n]{1,400}?)\s?(?:翻译|译成|译为|总结|改写|保存|写入|发送|发给|编码|解码)/u;
const CHINESE_SOUGHT =
  /(?:搜索|搜一下|查找|查询|查一下|关于|提醒我|提醒)\s?([^，。？！\n]{1,60}?)(?:的?(?:新闻|信息|资料|文章|论文|内容|网页))?[。？！]?$/u;

/** Descriptions that ask for the user's own message. */
const USERS_WORDS =
  /(?:question|statement|message|utterance|request|complaint)s?\s(?:that (?:is|was)\s)?(?:posed|asked|made|stated|raised|given|entered|said) by the (?:user|customer|caller)|the (?:user|customer)['’]s (?:question|statement|message|utterance|exact words)|用户(?:的|所说的)?(?:原话|问题|消息)/iu;

const SORTS: ReadonlySet<string> = new Set('type kind style categori class'.split(' '));
const TYPED: ReadonlySet<Slot['kind']> = new Set(['date', 'time', 'datetime', 'email', 'phone', 'url']);
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
