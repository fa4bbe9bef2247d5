import { isObject, type JsonObject, type JsonSchema } from '../../kernel/json.ts';
import { findPointer, followReference, type OpenApiDocument, pointerParts } from './document.ts';

/** Converts schemas of one operation; those they refer to are kept under names, so that circles stay circles. */
export interface SchemaReader {
  read(schema: unknown): JsonSchema;
  /** The schemas that were referred to. */
  definitions(): Readonly<Record<string, JsonSchema>>;
}

const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
/** What a caller of the tool has no use for. */
const LEFT_OUT = new Set(['xml', 'externalDocs', 'discriminator', 'example', 'readOnly', '$schema', '$id']);

/** A definition has no room for more. */
const MOST_PARTS = 5000;

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
    // The name is known before its schema is read, so that a circle ends here.
    Object.defineProperty(definitions, name, {
      value: convert(findPointer(document, reference)),
      enumerable: true,
      configurable: true,
    });
    return name;
  };

  const convert = (given: unknown): JsonSchema => {
    parts += 1;
    if (parts > MOST_PARTS) throw new Error(`its schemas have more than ${MOST_PARTS} parts`);
    if (given === false) return { not: {} };
    if (!isObject(given)) return {};
    if (typeof given.$ref === 'string') {
      const $ref = `#/$defs/${nameOf(given.$ref)}`;
      // Beside a reference 3.0 has nothing.
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
    // What only an answer has cannot be asked of a request.
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

/** A schema of 3.0 in the words of JSON Schema 2020-12. */
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

/** Bytes are given as base64, which JSON can hold. */
const binary = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (schema.format === 'byte') return { ...leaveOut(schema, 'format'), contentEncoding: 'base64' };
  return isBytes(schema) ? { ...leaveOut(schema, 'format'), type: 'string', contentEncoding: 'base64' } : schema;
};

/** Whether a schema stands for bytes, which a form carries as they are. */
export const isBinary = (document: OpenApiDocument, schema: unknown): boolean =>
  isBytes(followReference(document, schema));

const isBytes = ({ type, format, contentMediaType: media, contentEncoding }: JsonObject): boolean =>
  format === 'binary' ||
  ((type === undefined || type === 'string') &&
    typeof media === 'string' &&
    contentEncoding === undefined &&
    !/json|xml|^text\//i.test(media));
