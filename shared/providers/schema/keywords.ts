import { isRecord } from '../json.ts';

export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

export const TYPES: readonly TypeName[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

export const isType = (value: unknown): value is TypeName => TYPES.includes(value as TypeName);

/** The words of a text, as a set. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Keywords that restrict no values. */
export const ANNOTATIONS = words(
  'title description default examples example deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema',
);

/** Keywords about the document, not the values. */
export const BOOKKEEPING = words('$schema $id id $anchor $dynamicAnchor $comment $vocabulary $defs definitions');

const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === 'boolean';
const isSchemas = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isMapOf = (value: unknown, holds: (entry: unknown) => boolean): boolean => {
  if (!isRecord(value)) return false;
  for (const key in value) if (!holds(value[key])) return false;
  return true;
};
const isSchemaMap = (value: unknown): boolean => isMapOf(value, isSchema);
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isTypes = (value: unknown): boolean =>
  isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType));

interface Keyword {
  /** The types it constrains. */
  readonly on: readonly TypeName[];
  /** Whether the keyword may have a value. */
  readonly valid: (value: unknown) => boolean;
}

const TEXT: readonly TypeName[] = ['string'];
const NUMBERS: readonly TypeName[] = ['number', 'integer'];
const LIST: readonly TypeName[] = ['array'];
const OBJECT: readonly TypeName[] = ['object'];

const groups: readonly (readonly [string, Keyword['on'], Keyword['valid']])[] = [
  ['type', TYPES, isTypes],
  ['enum', TYPES, Array.isArray],
  ['const', TYPES, (value) => value !== undefined],
  ['$ref', TYPES, isText],
  ['anyOf oneOf allOf', TYPES, isSchemas],
  ['not if then else', TYPES, isSchema],
  ['minLength maxLength', TEXT, isCount],
  ['pattern', TEXT, isText],
  ['format', [...TEXT, ...NUMBERS], isText],
  ['minimum maximum exclusiveMinimum exclusiveMaximum', NUMBERS, isNumber],
  ['multipleOf', NUMBERS, (value) => isNumber(value) && (value as number) > 0],
  ['items contains unevaluatedItems', LIST, isSchema],
  ['prefixItems', LIST, isSchemas],
  ['minItems maxItems minContains maxContains', LIST, isCount],
  ['uniqueItems', LIST, isFlag],
  ['properties patternProperties dependentSchemas', OBJECT, isSchemaMap],
  ['required', OBJECT, isTexts],
  ['additionalProperties propertyNames unevaluatedProperties', OBJECT, isSchema],
  ['minProperties maxProperties', OBJECT, isCount],
  ['dependentRequired', OBJECT, (value) => isMapOf(value, isTexts)],
];

/** Every keyword that restricts values. */
export const keywords: ReadonlyMap<string, Keyword> = new Map(
  groups.flatMap(([names, on, valid]) => names.split(' ').map((name) => [name, { on, valid }] as const)),
);

/** The JSON Schema type of a value; whole numbers are integers. */
export function typeOf(value: unknown): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as TypeName;
}

/** Whether a value of the type `inner` is always one of the type `outer`. */
export const isWithin = (inner: TypeName, outer: TypeName): boolean =>
  inner === outer || (inner === 'integer' && outer === 'number');
