import { isObject, type JsonSchema } from '../../model/json.ts';
import { splitIdentifier, termOf, termsOf } from '../../registry/text.ts';

/** A parameter as extraction sees it. */
export interface Slot {
  readonly name: string;
  readonly required: boolean;
  readonly type: SlotType;
  readonly kind: SlotKind;
  readonly description: string;
  /** The words of the name, then those of the description that are not there: what a request may call it. */
  readonly nameTerms: readonly string[];
  readonly descriptionTerms: readonly string[];
  /** The values that the schema allows or explains. */
  readonly choices: readonly Choice[];
  /** Values that the description gives as examples; others are allowed. */
  readonly examples: readonly string[];
  readonly schema: JsonSchema;
  readonly default?: unknown;
  readonly items?: Slot;
  readonly properties?: readonly Slot[];
}

export type SlotType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any';

/** What a value must look like, beyond its type. */
export type SlotKind =
  | 'date'
  | 'time'
  | 'datetime'
  | 'place'
  | 'person'
  | 'email'
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

/** A value that the schema offers, and the words that mean it. */
export interface Choice {
  readonly value: unknown;
  readonly phrases: readonly string[];
}

export const slotsOf = (schema: JsonSchema): readonly Slot[] => {
  if (!isObject(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, property]) =>
    slotOf(name, isObject(property) ? property : {}, required.includes(name)),
  );
};

const slotOf = (name: string, schema: JsonSchema, required: boolean): Slot => {
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  const type = typeOf(schema);
  const nameTerms = splitIdentifier(name).map((word) => termOf(word) || word);
  return {
    name,
    required,
    type,
    kind: kindOf(name, description, schema),
    description,
    nameTerms,
    descriptionTerms: [...new Set(termsOf(description.split(EXAMPLE)[0] ?? '', 300))].filter(
      (term) => !nameTerms.includes(term) && !DULL.has(term),
    ),
    choices: type === 'boolean' ? [] : choicesOf(schema, description),
    examples: type === 'string' || type === 'array' ? examplesOf(description) : [],
    schema,
    ...(schema['default'] === undefined ? {} : { default: schema['default'] }),
    ...(type === 'array' && isObject(schema['items'])
      ? { items: slotOf(name, { description, ...schema['items'] }, required) }
      : {}),
    ...(type === 'object' ? { properties: slotsOf(schema) } : {}),
  };
};

const typeOf = (schema: JsonSchema): SlotType => {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  const [first] = types;
  if (typeof first === 'string' && TYPES.has(first)) return first as SlotType;
  if (Array.isArray(schema['enum'])) return 'string';
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = schema[key];
    const branch = Array.isArray(branches)
      ? branches.find((one) => isObject(one) && one['type'] !== 'null')
      : undefined;
    if (isObject(branch)) return typeOf(branch);
  }
  return isObject(schema['properties']) ? 'object' : 'any';
};

const kindOf = (name: string, description: string, schema: JsonSchema): SlotKind => {
  const format = typeof schema['format'] === 'string' ? FORMATS[schema['format']] : undefined;
  if (format !== undefined) return format;
  const words = splitIdentifier(name);
  const has = (list: ReadonlySet<string>): boolean => words.some((word) => list.has(word) || list.has(termOf(word)));
  const lower = description.toLowerCase();
  if (/yyyy.?mm.?dd.{0,3}hh|date and time|timestamp|iso ?8601.*time/u.test(lower)) return 'datetime';
  if (has(DATE_WORDS) || /yyyy|\bmm\/dd|\bdate\b.*\bformat\b/u.test(lower))
    return has(TIME_WORDS) ? 'datetime' : 'date';
  if (has(DURATION_WORDS)) return 'duration';
  if (/hh:mm|24-hour/u.test(lower) || (has(TIME_WORDS) && !has(ZONE_WORDS))) return 'time';
  if (words.includes('currency')) return 'currency';
  if (words.includes('language') || words.includes('lang')) return 'language';
  if (words.at(-1) === 'unit' || words.at(-1) === 'units') return 'unit';
  if (has(EMAIL_WORDS) || /\be-?mail address\b/u.test(lower)) return 'email';
  if (has(URL_WORDS)) return 'url';
  if (has(PATH_WORDS)) return 'path';
  if (has(ID_WORDS)) return 'id';
  if (
    has(PLACE_WORDS) ||
    /city, state|city and state|name of the city|'[\w ]+, [A-Z]{2}'|[A-Z]\w+, [A-Z]{2}\b/u.test(description)
  )
    return 'place';
  if (has(QUERY_WORDS)) return 'query';
  if (has(TEXT_WORDS)) return 'text';
  if (has(PERSON_WORDS)) return 'person';
  return /\bcity\b|\blocation\b|\bcountry\b|\bairport\b/u.test(lower.slice(0, 60)) &&
    !/name of the (?!city|location|country)/u.test(lower)
    ? 'place'
    : 'plain';
};

/** Enum values, and values that a description explains: `'asc' for ascending`, `1 for Bangkok`, `English (EN)`. */
const choicesOf = (schema: JsonSchema, description: string): readonly Choice[] => {
  const values = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const explained = explanations(description);
  if (values.length > 0) {
    return values.map((value) => ({
      value,
      phrases: [
        String(value),
        ...explained.filter(([key]) => sameText(key, String(value))).map(([, phrase]) => phrase),
      ],
    }));
  }
  const numeric = schema['type'] === 'integer' || schema['type'] === 'number';
  const usable = explained.filter(([key]) => !numeric || /^-?\d+(?:\.\d+)?$/u.test(key));
  if (usable.length < 2 || schema['type'] === 'array') return [];
  return usable.map(([key, phrase]) => ({
    value: numeric ? Number(key) : key,
    phrases: numeric ? [phrase] : [key, phrase],
  }));
};

const explanations = (description: string): readonly (readonly [string, string])[] => [
  ...Array.from(
    description.matchAll(VALUE_FOR),
    ([, quoted, plain, phrase = '']) => [quoted ?? plain ?? '', phrase.trim()] as const,
  ),
  ...Array.from(description.matchAll(NAME_VALUE), ([, phrase = '', key = '']) => [key, phrase.trim()] as const),
];

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** What stands in quotes, or in a list after `e.g.`, `such as`, `options:` and the like. */
const examplesOf = (description: string): readonly string[] => {
  const quoted = Array.from(
    description.matchAll(/(?<!\w)['"‘“]([^'"’”]{1,40})['"’”](?!\w)/gu),
    ([, value = '']) => value,
  );
  const listed = Array.from(description.matchAll(EXAMPLES), ([, list = '']) =>
    list.split(/,|\bor\b|\band\b|\//u).map((item) => item.replaceAll(/['"()[\]]/gu, '').trim()),
  ).flat();
  const isExample = (value: string): boolean =>
    /^[\p{L}\p{N}]/u.test(value) && value.split(' ').length <= 4 && !/^etc|^(?:yyyy|mm|dd)/iu.test(value);
  return [...new Set([...quoted, ...listed])].filter(isExample).slice(0, 40);
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/u));
const TYPES = words('string number integer boolean array object');
const FORMATS: Readonly<Record<string, SlotKind>> = Object.assign(Object.create(null), {
  date: 'date',
  'date-time': 'datetime',
  time: 'time',
  email: 'email',
  uri: 'url',
  url: 'url',
});
const DATE_WORDS = words('date day dob birthday birthdate checkin checkout deadline 日期');
const TIME_WORDS = words('time hour clock timestamp 时间');
const DURATION_WORDS = words('duration period timeframe timespan length');
const ZONE_WORDS = words('zone timezone frame period span range timespan limit');
const EMAIL_WORDS = words('email mail recipient 邮箱');
const URL_WORDS = words('url uri link website webpage endpoint host hostname domain 链接');
const PATH_WORDS = words('path file filename filepath directory folder dir 路径');
const ID_WORDS = words('id ids identifier uuid guid key token code sku isbn symbol ticker number serial');
const PLACE_WORDS = words(
  'city location place country state province region address origin destination departure arrival town area county district street zip postal airport venue where loc 城市 地点',
);
const QUERY_WORDS = words('query keyword keywords search term terms q topic subject question prompt phrase 关键词');
const TEXT_WORDS = words(
  'text content message body sentence paragraph note description comment answer input string command code summary 内容 文本',
);
const PERSON_WORDS = words(
  'name artist author actor actress director cast starring player singer person user username title album track song movie book band team company brand',
);
/** Words of nearly every description, which tell no parameter from another. */
const DULL: ReadonlySet<string> = new Set(
  `name value type string number integer list format option optional default specify given use provide valid example include
  must represent desired want required set return whether boolean true false parameter input specific following e.g`
    .split(/\s+/u)
    .map((word) => termOf(word) || word),
);
const EXAMPLE = /(?:e\.g\.|such as|for example|for instance|default|defaults)/iu;
const EXAMPLES =
  /(?:e\.g\.,?|such as|for example,?|for instance,?|\blike\b|options?(?: are| include)?:?|choices(?: are)?:?|supports?|can be|either|one of|valid values(?: are| include)?:?|possible values(?: are| include)?:?)\s([^.;()]{3,160})/giu;
const VALUE_FOR =
  /(?:['"]([\w.-]{1,24})['"]|(?<![\w.])(-?\d{1,6}|[A-Z]{1,5}))\s(?:for|means|is for|represents|stands for|indicates|=)\s(?:the\s|an?\s)?([\p{L}][^,;.()'"]{1,40}?)(?=,|;|\.|\)|$|\sand\s|\sor\s)/gu;
const NAME_VALUE = /(\p{Lu}[\p{L} ]{2,24})\s\(['"]?([A-Z]{2,6})['"]?\)/gu;
