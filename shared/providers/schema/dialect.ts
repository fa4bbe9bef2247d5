import { type TypeName, words } from './keywords.ts';

/** The part of JSON Schema that a provider accepts. Everything else is rewritten or described in words. */
export interface Dialect {
  /** Its name in warnings. */
  readonly label: string;
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<string> | 'all';
  /** `keep` leaves `$ref` and `$defs`; `inline` replaces references by their definitions. */
  readonly refs: 'keep' | 'inline';
  /** Whether a definition may contain itself; `optional`: only in a property that is not required. */
  readonly recursion: 'yes' | 'no' | 'optional';
  /** The types of enum members that it accepts. */
  readonly enums: ReadonlySet<TypeName>;
  /** Whether `type: ["string", "null"]` is accepted; otherwise anyOf is used. */
  readonly typeLists: boolean;
  /** Whether null is expressed by OpenAPI's `nullable: true`. */
  readonly nullableFlag: boolean;
  /** Whether every object must have additionalProperties: false; a tool that needs open objects does not fit. */
  readonly closed: boolean;
  /** Whether all keys are required, and optional ones become nullable. */
  readonly allRequired: boolean;
  /** How "any value" is expressed; `none`: such a tool does not fit. */
  readonly any: 'none' | 'empty' | 'spelled';
  /** Whether no keyword may stand beside anyOf. */
  readonly bareAnyOf: boolean;
  /** Whether counts are strings, as protocol buffers write 64-bit integers in JSON. */
  readonly countsAsText: boolean;
  readonly keys?: RegExp;
  /** Further conditions on the value of a keyword. */
  readonly accepts?: (keyword: string, value: unknown) => boolean;
}

const PRIMITIVES: ReadonlySet<TypeName> = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const STRUCTURE = 'type description properties required items anyOf enum';

/** Anthropic answers 400 for property names that do not match. */
export const ANTHROPIC_KEYS = /^[a-zA-Z0-9_.-]{1,64}$/;
export const GEMINI_KEYS = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** https://developers.openai.com/api/docs/guides/structured-outputs */
export const openaiStrict: Dialect = {
  label: 'the strict form',
  keywords: words(
    `${STRUCTURE} title const pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems additionalProperties`,
  ),
  formats: words('date-time time date duration email hostname ipv4 ipv6 uuid'),
  refs: 'keep',
  recursion: 'yes',
  enums: PRIMITIVES,
  typeLists: true,
  nullableFlag: false,
  closed: true,
  allRequired: true,
  any: 'none',
  bareAnyOf: false,
  countsAsText: false,
};

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
export const anthropicStrict: Dialect = {
  ...openaiStrict,
  keywords: words(`${STRUCTURE} title const default pattern format minItems additionalProperties`),
  formats: words('date-time time date duration email hostname uri ipv4 ipv6 uuid'),
  recursion: 'no',
  allRequired: false,
  keys: ANTHROPIC_KEYS,
  accepts: (keyword, value) =>
    keyword === 'minItems' ? value === 0 || value === 1 : keyword !== 'pattern' || isSimplePattern(String(value)),
};

/** https://docs.cohere.com/docs/structured-outputs */
export const cohereStrict: Dialect = {
  ...openaiStrict,
  keywords: words(`${STRUCTURE} title const pattern format`),
  formats: words('date-time uuid date time'),
  recursion: 'no',
  typeLists: false,
  closed: false,
  allRequired: false,
  accepts: (keyword, value) =>
    keyword !== 'pattern' || (isSimplePattern(String(value)) && !/[\^$]/.test(String(value))),
};

/** The OpenAPI 3.0 subset of Gemini's `parameters`. */
export const geminiDialect: Dialect = {
  label: 'Gemini',
  keywords: words(
    `${STRUCTURE} title default format pattern minimum maximum minItems maxItems minLength maxLength minProperties maxProperties`,
  ),
  formats: words('date-time enum float double int32 int64'),
  refs: 'inline',
  recursion: 'no',
  enums: new Set<TypeName>(['string']),
  typeLists: false,
  nullableFlag: true,
  closed: false,
  allRequired: false,
  any: 'spelled',
  bareAnyOf: true,
  countsAsText: true,
  keys: GEMINI_KEYS,
  // The API refuses an empty enum member.
  accepts: (keyword, value) => keyword !== 'enum' || !(value as readonly unknown[]).includes(''),
};

/** Gemini's `parametersJsonSchema`. */
export const geminiJson: Dialect = {
  ...geminiDialect,
  keywords: words(`${STRUCTURE} title format prefixItems minItems maxItems minimum maximum additionalProperties`),
  refs: 'keep',
  recursion: 'optional',
  enums: new Set<TypeName>(['string', 'number', 'integer']),
  typeLists: true,
  nullableFlag: false,
  any: 'empty',
  bareAnyOf: false,
  countsAsText: false,
};

/** Ollama reads only these keywords, so the model would never see the others. */
export const ollama: Dialect = {
  label: 'Ollama',
  keywords: words(`${STRUCTURE} title default additionalProperties`),
  formats: new Set(),
  refs: 'inline',
  recursion: 'no',
  enums: new Set<TypeName>([...PRIMITIVES, 'object', 'array']),
  typeLists: true,
  nullableFlag: false,
  closed: false,
  allRequired: false,
  any: 'empty',
  bareAnyOf: false,
  countsAsText: false,
};

/** What every model behind OpenRouter accepts, since their endpoints differ. */
export const core: Dialect = {
  ...ollama,
  label: 'the portable core',
  keywords: words(
    `${STRUCTURE} title default format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties additionalProperties`,
  ),
  formats: 'all',
  enums: new Set<TypeName>(['string']),
  typeLists: false,
};

/** No lookaround, back-references or word boundaries: a pattern from which a grammar can be built. */
const isSimplePattern = (pattern: string): boolean => !/\(\?[=!<]|\\[1-9kbB]/.test(pattern);
