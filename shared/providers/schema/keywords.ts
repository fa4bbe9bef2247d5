import { isObject } from '../json.ts';

export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

export const TYPES: readonly TypeName[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

export const isType = (value: unknown): value is TypeName => TYPES.includes(value as TypeName);

/** Says nothing about which values are valid. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

/** Belongs to the document, not to the values. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$comment',
  '$vocabulary',
  '$defs',
  'definitions',
]);

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean';
const isSchemas = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isMapOf = (value: unknown, holds: (entry: unknown) => boolean): boolean => {
  if (!isObject(value)) return false;
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
  readonly on: readonly TypeName[];
  readonly valid: (value: unknown) => boolean;
}

/** The types a keyword constrains, and which values it may have. */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>(
  Object.entries({
    type: { on: TYPES, valid: isTypes },
    enum: { on: TYPES, valid: Array.isArray },
    const: { on: TYPES, valid: (value) => value !== undefined },
    anyOf: { on: TYPES, valid: isSchemas },
    oneOf: { on: TYPES, valid: isSchemas },
    allOf: { on: TYPES, valid: isSchemas },
    not: { on: TYPES, valid: isSchema },
    if: { on: TYPES, valid: isSchema },
    then: { on: TYPES, valid: isSchema },
    else: { on: TYPES, valid: isSchema },
    $ref: { on: TYPES, valid: isText },
    minLength: { on: ['string'], valid: isCount },
    maxLength: { on: ['string'], valid: isCount },
    pattern: { on: ['string'], valid: isText },
    format: { on: ['string', 'number', 'integer'], valid: isText },
    minimum: { on: ['number', 'integer'], valid: isNumber },
    maximum: { on: ['number', 'integer'], valid: isNumber },
    exclusiveMinimum: { on: ['number', 'integer'], valid: isNumber },
    exclusiveMaximum: { on: ['number', 'integer'], valid: isNumber },
    multipleOf: { on: ['number', 'integer'], valid: (value) => isNumber(value) && (value as number) > 0 },
    items: { on: ['array'], valid: isSchema },
    prefixItems: { on: ['array'], valid: isSchemas },
    contains: { on: ['array'], valid: isSchema },
    minContains: { on: ['array'], valid: isCount },
    maxContains: { on: ['array'], valid: isCount },
    minItems: { on: ['array'], valid: isCount },
    maxItems: { on: ['array'], valid: isCount },
    uniqueItems: { on: ['array'], valid: isFlag },
    unevaluatedItems: { on: ['array'], valid: isSchema },
    properties: { on: ['object'], valid: isSchemaMap },
    required: { on: ['object'], valid: isTexts },
    additionalProperties: { on: ['object'], valid: isSchema },
    patternProperties: { on: ['object'], valid: isSchemaMap },
    propertyNames: { on: ['object'], valid: isSchema },
    minProperties: { on: ['object'], valid: isCount },
    maxProperties: { on: ['object'], valid: isCount },
    dependentRequired: { on: ['object'], valid: (value) => isMapOf(value, isTexts) },
    dependentSchemas: { on: ['object'], valid: isSchemaMap },
    unevaluatedProperties: { on: ['object'], valid: isSchema },
  } satisfies Record<string, Keyword>),
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
