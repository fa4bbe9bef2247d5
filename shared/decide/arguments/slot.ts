import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { chineseWords } from '../../search/chinese.ts';
import { splitIdentifier, termOf, termsOf } from '../../search/text.ts';
import { codeNames } from './codes.ts';
import { choicesOf, examplesOf } from './slot-choices.ts';
import { kindOf, type SlotKind } from './slot-kind.ts';

/** A parameter, prepared for extraction. */
export interface Slot {
  readonly name: string;
  readonly required: boolean;
  readonly type: SlotType;
  readonly kind: SlotKind;
  readonly description: string;
  /** The terms of the name, and those of the description that are not in the name. */
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

export const slotsOf = (schema: JsonSchema): readonly Slot[] => slotsIn(schema, { left: READ_IN_ALL });

/** `room` has the number of parameters that may still be read, nested ones included. */
const slotsIn = (schema: JsonSchema, room: { left: number }): readonly Slot[] => {
  if (!isObject(schema.properties)) return [];
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
  const slots: Slot[] = [];
  for (const [name, property] of requiredFirst(Object.entries(schema.properties), ([name]) => required.has(name))) {
    if (room.left <= 0) break;
    room.left--;
    slots.push(slotOf(name, isObject(property) ? property : {}, required.has(name), room));
  }
  return slots;
};

/** At most as many parameters as are filled from one task; of a longer list the required ones come first. */
export const requiredFirst = <T>(list: readonly T[], isRequired: (item: T) => boolean): readonly T[] =>
  list.length <= SLOT_LIMIT
    ? list
    : [...list.filter(isRequired), ...list.filter((item) => !isRequired(item))].slice(0, SLOT_LIMIT);
const SLOT_LIMIT = 80;
/** A schema of thousands of parameters must not block the process. */
const READ_IN_ALL = 800;

/** Whether a slot takes a year, such as 2019, and not a number of years. */
export const asksForYear = ({ name }: Slot): boolean =>
  splitIdentifier(name).some((word) => word === 'year' || word === 'season') && !COUNTING.test(name);
const COUNTING = /num|count|total|term|duration/iu;

const slotOf = (name: string, schema: JsonSchema, required: boolean, room: { left: number }): Slot => {
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
      type === 'array' && isObject(schema.items)
        ? slotOf(name, { description, ...schema.items }, required, room)
        : undefined,
    properties: type === 'object' ? slotsIn(isObject(schema.properties) ? schema : branchOf(schema), room) : undefined,
  };
};

/** Adds the names of codes to choices: `da` is Danish for a language, `EUR` the euro for a currency. */
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

/** The English terms of the known Chinese words of a text, because tasks in both languages are matched in English. */
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

/** The first alternative of a schema that is not null. */
const branchOf = (schema: JsonSchema): JsonSchema => {
  const branches = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const branch = branches.find((one) => isObject(one) && one.type !== 'null');
  return isObject(branch) ? branch : schema;
};

/** Kinds whose descriptions may explain choices; those of other kinds explain how a value is written. */
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
/** Words of nearly every description, which do not distinguish parameters. */
const DULL: ReadonlySet<string> = new Set(
  `name value type string number integer list format option optional default specify given use provide valid example include
  must represent desired want required set return whether boolean true false parameter input specific following e.g`
    .split(/\s+/u)
    .map((word) => termOf(word) || word),
);
const EXAMPLE = /(?:e\.g\.|such as|for example|for instance|default|defaults)/iu;
