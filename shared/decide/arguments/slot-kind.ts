import type { JsonSchema } from '../../kernel/json.ts';
import { splitIdentifier, termOf } from '../../search/text.ts';

/** What a value must look like, beyond its type. */
export type SlotKind =
  | 'date'
  | 'time'
  | 'datetime'
  | 'place'
  | 'person'
  | 'email'
  | 'phone'
  | 'url'
  | 'path'
  | 'id'
  | 'query'
  | 'currency'
  | 'language'
  | 'unit'
  | 'duration'
  | 'text'
  | 'plain';

/** The kind by the schema's format, or else by the first rule that holds for the name and description. */
export const kindOf = (name: string, description: string, schema: JsonSchema): SlotKind => {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format !== undefined) return format;
  const words = splitIdentifier(name);
  const named = (list: ReadonlySet<string>): boolean => words.some((word) => list.has(word) || list.has(termOf(word)));
  return RULES.find(({ holds }) => holds({ words, named, description }))?.kind ?? 'plain';
};

interface Subject {
  readonly words: readonly string[];
  /** Whether a word of the name is on a list. */
  readonly named: (list: ReadonlySet<string>) => boolean;
  readonly description: string;
}

/** Whether a Chinese name has one of the words; names are split into bigrams, so a word of two characters is one. */
const hasPart = (words: readonly string[], ...parts: readonly string[]): boolean =>
  parts.some((part) => words.includes(part));

/** Whether a name such as `from` or `to` gives only the role of a value, not its kind. */
const isRole = (words: readonly string[]): boolean => words.every((word) => ROLES.has(word));

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/u));
const FORMATS: Readonly<Record<string, SlotKind>> = Object.assign(Object.create(null), {
  date: 'date',
  'date-time': 'datetime',
  time: 'time',
  email: 'email',
  uri: 'url',
  url: 'url',
});
const ROLES = words('from to source target src dst dest destination input output base quote into 源 目标 从 到');
const DATE = words('date day dob birthday birthdate checkin checkout deadline 日期');
const TIME = words('time hour clock timestamp 时间');
const DURATION = words('duration period timeframe timespan');
const NO_TIME = words('zone timezone frame period span range timespan limit');
const EMAIL = words('email mail recipient 邮箱');
const PHONE = words('phone telephone mobile cellphone fax tel 电话 手机');
const URL = words('url uri link website webpage endpoint host hostname domain 链接');
/** Words for properties of a phone that are not its number. */
const ABOUT_PHONES = words('model brand name type os plan app');
const PATH = words('path file filename filepath directory folder dir 路径');
const ID = words('id ids identifier uuid guid key token code sku isbn symbol ticker number serial');
const PLACE = words(
  'city location place country state province region address origin destination departure arrival town area county district street zip postal airport venue where loc 城市 地点',
);
const QUERY = words('query keyword keywords search term terms q topic subject question prompt phrase 关键词');
const TEXT = words(
  'text content message body sentence paragraph note description comment answer input string command code summary 内容 文本',
);
const PERSON = words(
  'name artist author actor actress director cast starring player singer person user username title album track song movie book band team company brand',
);
const STORED = /\b(?:picture|image|photo|file|object)s?\b/iu;
const STAMP = /yyyy.?mm.?dd.{0,3}hh|date and time|timestamp|iso ?8601.*time/iu;
const DATE_OPENING = /^(?:an?|another|the|iso 8601)\s(?:[\w-]+\s){0,2}date\b/iu;
const TEXT_OPENING =
  /^(?:an?|another|the)\s(?:[\w-]+\s){0,1}(?:text|sentence|paragraph)s?(?:[.,;:]|$|\sto\b|\sthat\b)/iu;
const DATE_FORM = /yyyy|\bmm\/dd|\bdate\b.*\bformat\b/iu;
const PLACE_FORM = /city, state|city and state|name of the city|'[\w ]+, [A-Z]{2}'|[A-Z]\w+, [A-Z]{2}\b/u;
const PLACE_OPENING = /^.{0,52}\b(?:city|location|country|airport)\b/iu;
const OTHER_NAME = /name of the (?!city|location|country)/iu;

const RULES: readonly { readonly kind: SlotKind; readonly holds: (subject: Subject) => boolean }[] = [
  { kind: 'id', holds: ({ words }) => /^(?:ids?|identifiers?|uuids?)$/u.test(words.at(-1) ?? '') },
  { kind: 'datetime', holds: ({ description }) => STAMP.test(description) },
  { kind: 'datetime', holds: ({ named, description }) => (named(DATE) || DATE_FORM.test(description)) && named(TIME) },
  { kind: 'date', holds: ({ named, description }) => named(DATE) || DATE_FORM.test(description) },
  { kind: 'duration', holds: ({ named }) => named(DURATION) },
  {
    kind: 'time',
    holds: ({ named, description }) => /hh:mm|24-hour/iu.test(description) || (named(TIME) && !named(NO_TIME)),
  },
  { kind: 'currency', holds: ({ words }) => words.includes('currency') || hasPart(words, '货币', '币种') },
  {
    kind: 'language',
    holds: ({ words }) => words.includes('language') || words.includes('lang') || hasPart(words, '语言', '语种'),
  },
  { kind: 'unit', holds: ({ words }) => /^units?$/u.test(words.at(-1) ?? '') || hasPart(words, '单位') },
  { kind: 'currency', holds: ({ words, description }) => isRole(words) && /\bcurrenc|货币|币种/iu.test(description) },
  { kind: 'language', holds: ({ words, description }) => isRole(words) && /\blanguage|语言|语种/iu.test(description) },
  { kind: 'unit', holds: ({ words, description }) => isRole(words) && /\bunits?\b|单位/iu.test(description) },
  { kind: 'email', holds: ({ named, description }) => named(EMAIL) || /\be-?mail address\b/iu.test(description) },
  { kind: 'phone', holds: ({ named, words }) => named(PHONE) && !named(ABOUT_PHONES) && words.length <= 3 },
  { kind: 'url', holds: ({ named }) => named(URL) },
  { kind: 'path', holds: ({ named }) => named(PATH) },
  // The key of a stored file is its path, not an id.
  { kind: 'path', holds: ({ words, description }) => words.at(-1) === 'key' && STORED.test(description) },
  { kind: 'id', holds: ({ named }) => named(ID) },
  { kind: 'place', holds: ({ named, description }) => named(PLACE) || PLACE_FORM.test(description) },
  { kind: 'query', holds: ({ named }) => named(QUERY) },
  { kind: 'text', holds: ({ named }) => named(TEXT) },
  { kind: 'text', holds: ({ description }) => TEXT_OPENING.test(description) },
  { kind: 'person', holds: ({ named }) => named(PERSON) },
  { kind: 'date', holds: ({ words, description }) => DATE_OPENING.test(description) && !words.includes('format') },
  { kind: 'place', holds: ({ description }) => PLACE_OPENING.test(description) && !OTHER_NAME.test(description) },
];
