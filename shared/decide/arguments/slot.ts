import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { chineseWords } from '../../search/chinese.ts';
import { splitIdentifier, termOf, termsOf } from '../../search/text.ts';
import { codeNames } from './codes.ts';
import { choicesOf, examplesOf } from './slot-choices.ts';
import { kindOf, type SlotKind } from './slot-kind.ts';

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

/** A value that the schema offers, and the words that mean it. */
export interface Choice {
  readonly value: unknown;
  readonly phrases: readonly string[];
}

export const slotsOf = (schema: JsonSchema): readonly Slot[] => {
  if (!isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) =>
    slotOf(name, isObject(property) ? property : {}, required.includes(name)),
  );
};

/** Whether a slot takes a year, such as 2019, and not how many years. */
export const asksForYear = ({ name }: Slot): boolean =>
  splitIdentifier(name).some((word) => word === 'year' || word === 'season') && !COUNTING.test(name);
const COUNTING = /num|count|total|term|duration/iu;

const slotOf = (name: string, schema: JsonSchema, required: boolean): Slot => {
  const description = typeof schema.description === 'string' ? schema.description : '';
  const type = typeOf(schema);
  const kind = kindOf(name, description, schema);
  const nameTerms = [...splitIdentifier(name).map((word) => termOf(word) || word), ...englishIn(name)];
  const isColour = nameTerms.some((term) => term === 'color' || term === 'colour');
  return {
    name,
    required,
    type,
    kind,
    description,
    nameTerms,
    descriptionTerms: [
      ...new Set([...termsOf(description.split(EXAMPLE)[0] ?? '', 300), ...englishIn(description)]),
    ].filter((term) => !nameTerms.includes(term) && !DULL.has(term)),
    choices: type === 'boolean' ? [] : withNames(choicesOf(schema, EXPLAINED.has(kind) ? description : ''), kind),
    examples: type === 'string' || type === 'array' ? [...examplesOf(description), ...(isColour ? COLOURS : [])] : [],
    schema,
    default: schema.default,
    items:
      type === 'array' && isObject(schema.items) ? slotOf(name, { description, ...schema.items }, required) : undefined,
    properties: type === 'object' ? slotsOf(isObject(schema.properties) ? schema : branchOf(schema)) : undefined,
  };
};

/** `da` on offer as a language is Danish, `EUR` as a currency the euro. */
const withNames = (choices: readonly Choice[], kind: SlotKind): readonly Choice[] =>
  choices.map((choice) => {
    const value = String(choice.value);
    const names = kind === 'language' || kind === 'currency' ? codeNames(kind, value) : [];
    const spelling = SPELLINGS[value.toLowerCase()];
    return { ...choice, phrases: [...choice.phrases, ...names, ...(spelling === undefined ? [] : [spelling])] };
  });

/** Other spellings of file types and the like. */
const SPELLINGS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  jpeg: 'jpg',
  jpg: 'jpeg',
  tiff: 'tif',
  yaml: 'yml',
  utf8: 'utf-8',
  html: 'htm',
  markdown: 'md',
});

/** What the known Chinese words of a name or a description mean: tasks in either language are read as English. */
const englishIn = (text: string): readonly string[] => chineseWords(text).flatMap(({ english }) => english);

const typeOf = (schema: JsonSchema): SlotType => {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  const [first] = types;
  if (typeof first === 'string' && TYPES.has(first)) return first as SlotType;
  if (Array.isArray(schema.enum)) return 'string';
  if (isObject(schema.properties)) return 'object';
  const branch = branchOf(schema);
  return branch === schema ? 'any' : typeOf(branch);
};

/** Of several forms that a schema allows, the first that is not null. */
const branchOf = (schema: JsonSchema): JsonSchema => {
  const branches = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const branch = branches.find((one) => isObject(one) && one.type !== 'null');
  return isObject(branch) ? branch : schema;
};

/** Descriptions of these explain how a value is written, not which values there are. */
const EXPLAINED: ReadonlySet<SlotKind> = new Set<SlotKind>([
  'plain',
  'id',
  'text',
  'person',
  'place',
  'unit',
  'language',
  'currency',
  'query',
]);
const COLOURS = 'red orange yellow green blue purple pink brown black white gray grey gold silver beige'.split(' ');
const TYPES: ReadonlySet<string> = new Set('string number integer boolean array object'.split(' '));
/** Words of nearly every description, which tell no parameter from another. */
const DULL: ReadonlySet<string> = new Set(
  `name value type string number integer list format option optional default specify given use provide valid example include
  must represent desired want required set return whether boolean true false parameter input specific following e.g`
    .split(/\s+/u)
    .map((word) => termOf(word) || word),
);
const EXAMPLE = /(?:e\.g\.|such as|for example|for instance|default|defaults)/iu;
