import { isObject, type JsonObject, type JsonSchema } from '../../kernel/json.ts';
import { findPointer, followReference, type OpenApiDocument, pointerParts } from './document.ts';

/** Converts schemas of one operation; referenced ones become definitions, so that recursive schemas stay finite. */
export interface SchemaReader {
  read(schema: unknown): JsonSchema;
  /** The referenced schemas. */
  definitions(): Readonly<Record<string, JsonSchema>>;
}

const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
/** Keywords that a tool's caller does not need. */
const LEFT_OUT = new Set(['xml', 'externalDocs', 'discriminator', 'example', 'readOnly', '$schema', '$id']);

/** Larger schemas do not fit a definition. */
const MAX_PARTS = 5000;

export const readSchemas = (document: OpenApiDocument): SchemaReader => {
  let parts = 0;
  const names = new Map<string, string>();
  const definitions: Record<string, JsonSchema> = {};

  const nameOf = (reference: string): string => {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const wanted = (pointerParts(reference).at(-1) ?? 'root').replace(/[^A-Za-z0-9_.-]/g, '_') || '_';
    const taken = new Set(names.values());
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
    names.set(reference, name);
    // The name is registered before its schema is read, so that recursion ends here.
    Object.defineProperty(definitions, name, {
      value: convert(findPointer(document, reference)),
      enumerable: true,
      configurable: true,
    });
    return name;
  };

  const convert = (given: unknown): JsonSchema => {
    parts += 1;
    if (parts > MAX_PARTS) throw new Error(`its schemas have more than ${MAX_PARTS} parts`);
    if (given === false) return { not: {} };
    if (!isObject(given)) return {};
    if (typeof given.$ref === 'string') {
      const $ref = `#/$defs/${nameOf(given.$ref)}`;
      // In OpenAPI 3.0, keywords beside a reference are ignored.
      return document.isOld ? { $ref } : { ...convertKeywords(leaveOut(given, '$ref')), $ref };
    }
    return document.isOld ? modern(given, convertKeywords(given)) : binary(convertKeywords(given));
  };

  const convertKeywords = (given: JsonObject): Record<string, unknown> => {
    const kept = Object.entries(given)
      .filter(([key]) => !LEFT_OUT.has(key) && !key.startsWith('x-'))
      .map(([key, value]): readonly [string, unknown] => {
        if (NAMED.has(key) && isObject(value))
          return [
            key,
            Object.fromEntries(
              Object.entries(value).map(([name, part]) => [name, part === true ? true : convert(part)]),
            ),
          ];
        if (LISTS.has(key) && Array.isArray(value)) return [key, value.map(convert)];
        return [key, SINGLE.has(key) && typeof value !== 'boolean' ? convert(value) : value];
      });
    const result: Record<string, unknown> = Object.fromEntries(kept);
    // Read-only properties appear only in answers, so a request cannot require them.
    if (Array.isArray(given.required)) result.required = given.required.filter((name) => !isReadOnly(given, name));
    if (given.example !== undefined && result.examples === undefined) result.examples = [given.example];
    return result;
  };

  const isReadOnly = ({ properties }: JsonObject, name: unknown): boolean => {
    const property = isObject(properties) && typeof name === 'string' ? properties[name] : undefined;
    return isObject(property) && property.readOnly === true;
  };

  return { read: convert, definitions: () => definitions };
};

const leaveOut = (given: JsonObject, key: string): JsonObject => {
  const { [key]: _, ...rest } = given;
  return rest;
};

/** Converts an OpenAPI 3.0 schema to JSON Schema 2020-12. */
const modern = (given: JsonObject, converted: Record<string, unknown>): JsonSchema => {
  const { nullable, ...result } = converted;
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof result[flag] !== 'boolean') continue;
    if (result[flag] === true && result[bound] !== undefined) {
      result[flag] = result[bound];
      delete result[bound];
    } else delete result[flag];
  }
  const schema = binary(result);
  if (nullable !== true) return schema;
  if (typeof given.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const withNull: Record<string, unknown> = { ...schema, type: [given.type, 'null'] };
  const { enum: values } = schema;
  if (Array.isArray(values) && !values.includes(null)) withNull.enum = [...values, null];
  return withNull;
};

/** Bytes are passed as base64, so that they fit JSON. */
const binary = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (schema.format === 'byte') return { ...leaveOut(schema, 'format'), contentEncoding: 'base64' };
  return isBytes(schema) ? { ...leaveOut(schema, 'format'), type: 'string', contentEncoding: 'base64' } : schema;
};

/** Whether a schema stands for bytes, which a form sends unencoded. */
export const isBinary = (document: OpenApiDocument, schema: unknown): boolean =>
  isBytes(followReference(document, schema));

const isBytes = ({ type, format, contentMediaType: media, contentEncoding }: JsonObject): boolean =>
  format === 'binary' ||
  ((type === undefined || type === 'string') &&
    typeof media === 'string' &&
    contentEncoding === undefined &&
    !/json|xml|^text\//i.test(media));
