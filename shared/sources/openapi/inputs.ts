import { isObject, type JsonObject, type JsonSchema } from '../../kernel/json.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { followReference, type OpenApiDocument } from './document.ts';
import type { Body, Operation, Parameter } from './operations.ts';
import { isBinary, readSchemas, type SchemaReader } from './schema.ts';

/** The one schema of an operation's arguments, and where each argument is sent. */
export interface Inputs {
  readonly parameters: JsonSchema;
  readonly slots: readonly { readonly argument: string; readonly parameter: Parameter }[];
  /** The argument that is the body; `null` when the body consists of all arguments that are not parameters. */
  readonly body?: string | null | undefined;
  /** Form fields that hold bytes. */
  readonly binary: ReadonlySet<string>;
}

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

/** The kind of body that a content type needs. */
export const kindOfBody = ({ contentType }: Body): BodyKind => {
  if (/^application\/json\b|\+json\b/i.test(contentType)) return 'json';
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return 'form';
  if (/^multipart\/form-data\b/i.test(contentType)) return 'multipart';
  return /^text\/|xml\b|yaml\b|javascript\b/i.test(contentType) ? 'text' : 'bytes';
};

/** Merges parameters and body. Names are kept; where two places use the same name, each is prefixed by its place. */
export const mergeInputs = (document: OpenApiDocument, { parameters, body }: Operation): Inputs => {
  const schemas = readSchemas(document);
  const names = parameters.map(({ name }) => name);
  const properties: Record<string, JsonSchema> = {};
  const slots = parameters.map((parameter) => {
    const isShared = names.indexOf(parameter.name) !== names.lastIndexOf(parameter.name);
    const argument = freeName(isShared ? `${parameter.in}_${parameter.name}` : parameter.name, properties);
    set(properties, argument, described(schemas.read(parameter.schema), parameter.description));
    return { argument, parameter };
  });
  const required = slots.filter(({ parameter }) => parameter.isRequired).map(({ argument }) => argument);
  const fields = body && listFields(document, body, properties, slots.length > 0);
  const binary = body ? binaryFields(document, body) : new Set<string>();
  if (body && fields) {
    const whole = schemas.read(fields);
    for (const [name, schema] of Object.entries(asObject(whole.properties))) set(properties, name, schema);
    if (Array.isArray(whole.required)) required.push(...whole.required.map(String));
    const isOpen = whole.additionalProperties !== false;
    return { parameters: root(properties, required, schemas, isOpen), slots, body: null, binary };
  }
  if (!body) return { parameters: root(properties, required, schemas, false), slots, binary };
  const argument = freeName('body', properties);
  set(properties, argument, described(bodySchema(body, schemas), body.description));
  if (body.isRequired) required.push(argument);
  return { parameters: root(properties, required, schemas, false), slots, body: argument, binary };
};

const root = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  schemas: SchemaReader,
  isOpen: boolean,
): JsonSchema => {
  const definitions = schemas.definitions();
  return omitUndefined({
    type: 'object',
    properties,
    required: required.length > 0 ? [...new Set(required)] : undefined,
    additionalProperties: isOpen ? undefined : false,
    $defs: Object.keys(definitions).length > 0 ? definitions : undefined,
  });
};

/** Keywords of an object whose fields can be merged with other arguments without changing what is allowed. */
const PLAIN = new Set(['type', 'properties', 'required', 'additionalProperties', 'description', 'title', 'example']);

/**
 * The body's schema if its fields can be arguments themselves: a plain, required object. An open object must have no
 * parameters beside it, because an additional field could have a parameter's name.
 */
const listFields = (
  document: OpenApiDocument,
  body: Body,
  taken: Readonly<Record<string, unknown>>,
  hasParameters: boolean,
): JsonObject | undefined => {
  const kind = kindOfBody(body);
  if (!body.isRequired || kind === 'text' || kind === 'bytes' || !isObject(body.schema)) return undefined;
  const schema = followReference(document, body.schema);
  const { type, properties, additionalProperties } = schema;
  const isPlain = Object.keys(schema).every((key) => PLAIN.has(key) || key.startsWith('x-'));
  if (type !== 'object' || !isPlain || !isObject(properties)) return undefined;
  if (additionalProperties !== false && (hasParameters || isObject(additionalProperties))) return undefined;
  return Object.keys(properties).some((name) => Object.hasOwn(taken, name)) ? undefined : schema;
};

const bodySchema = (body: Body, schemas: SchemaReader): JsonSchema => {
  const kind = kindOfBody(body);
  if (kind === 'text') return { type: 'string' };
  if (kind === 'bytes') return { type: 'string', contentEncoding: 'base64', contentMediaType: body.contentType };
  return schemas.read(body.schema);
};

const binaryFields = (document: OpenApiDocument, body: Body): ReadonlySet<string> => {
  if (kindOfBody(body) !== 'multipart' || !isObject(body.schema)) return new Set();
  const { properties } = followReference(document, body.schema);
  const isBytes = (schema: unknown): boolean => {
    if (!isObject(schema)) return false;
    const found = followReference(document, schema);
    return isBinary(document, found) || (found.type === 'array' && isBytes(found.items));
  };
  return new Set(Object.entries(asObject(properties)).flatMap(([name, schema]) => (isBytes(schema) ? [name] : [])));
};

const described = (schema: JsonSchema, description: string | undefined): JsonSchema =>
  description === undefined || description === '' ? schema : { ...schema, description };

const freeName = (wanted: string, taken: Readonly<Record<string, unknown>>): string => {
  let name = wanted;
  for (let count = 2; Object.hasOwn(taken, name); count += 1) name = `${wanted}_${count}`;
  return name;
};

const asObject = (value: unknown): Readonly<Record<string, JsonSchema>> =>
  isObject(value) ? (value as Readonly<Record<string, JsonSchema>>) : {};

// A parameter may be named __proto__.
const set = <T>(target: Record<string, T>, key: string, value: T): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
};
