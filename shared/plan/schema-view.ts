import { isObject, type JsonSchema } from '../kernel/json.ts';

/** A schema with the document that its `$ref`s refer to. */
export interface SchemaView {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

/** What a schema says about a path: anything goes, nothing can be there, or a schema. */
export type SchemaAtPath = SchemaView | 'any' | 'missing';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const ALL: readonly JsonType[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

export const toView = (schema: JsonSchema): SchemaView => ({ schema, root: schema });

/** What the schema says about a path. */
export function viewAt(view: SchemaView, path: readonly string[]): SchemaAtPath {
  let found: SchemaAtPath = view;
  for (const key of path) {
    if (found === 'any' || found === 'missing') return found;
    found = stepInto(found, key);
  }
  return found;
}

/** One step into an object or an array. An object with declared properties has no others. */
export function stepInto(view: SchemaView, key: string): SchemaAtPath {
  const { schema, root } = resolve(view);
  const own = [stepIntoObject(schema, key), stepIntoArray(schema, key)].map((step) => asFound(step, root));
  const options = listOptions({ schema, root }).map((option) => stepInto(option, key));
  const parts = asSchemas(schema.allOf).map((part) => stepInto({ schema: part, root }, key));
  const declared = [...own, ...parts].find((found) => typeof found === 'object');
  if (declared !== undefined) return declared;
  const offered = options.filter((found) => typeof found === 'object');
  if (offered.length > 0 && !options.includes('any'))
    return { schema: { anyOf: offered.map((one) => one.schema) }, root };
  // A composed schema excludes other properties only if all of its parts do.
  const silent = options.length + parts.length > 0 ? [...options, ...parts] : own;
  return silent.includes('any') ? 'any' : 'missing';
}

/** The types a value of this schema may have. */
export function typesOf(view: SchemaView): ReadonlySet<JsonType> {
  const { schema, root } = resolve(view);
  let types = ownTypes(schema);
  const options = listOptions({ schema, root });
  if (options.length > 0) types = meet(types, new Set(options.flatMap((option) => [...typesOf(option)])));
  for (const part of asSchemas(schema.allOf)) types = meet(types, typesOf({ schema: part, root }));
  return types;
}

/** The alternatives of `anyOf` and `oneOf`. */
export const listOptions = ({ schema, root }: SchemaView): readonly SchemaView[] =>
  [...asSchemas(schema.anyOf), ...asSchemas(schema.oneOf)].map((option) => ({ schema: option, root }));

/** Follows `$ref` inside the same document; a reference elsewhere says nothing. */
export function resolve({ schema, root }: SchemaView): SchemaView {
  let current = schema;
  for (let hop = 0; hop < 32 && typeof current.$ref === 'string'; hop++) {
    const target = pointTo(root, current.$ref);
    if (target === undefined) return { schema: {}, root };
    current = target;
  }
  return { schema: current, root };
}

/** A schema of just this value, as far as types and properties go. */
export function inferSchema(value: unknown): JsonSchema {
  if (Array.isArray(value)) return { type: 'array', prefixItems: value.map(inferSchema), items: false };
  if (!isObject(value)) return { const: value };
  const properties = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inferSchema(item)]));
  return { type: 'object', properties, required: Object.keys(value), additionalProperties: false };
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : (typeof value as 'string' | 'boolean');
}

const asSchemas = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? value.filter(isObject) : []);

function stepIntoObject(schema: JsonSchema, key: string): unknown {
  if (!ownTypes(schema).has('object')) return false;
  const properties = isObject(schema.properties) ? schema.properties : undefined;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  if (isObject(schema.patternProperties)) return true;
  return schema.additionalProperties ?? (properties === undefined && schema.unevaluatedProperties !== false);
}

function stepIntoArray(schema: JsonSchema, key: string): unknown {
  if (!ownTypes(schema).has('array') || !/^\d+$/.test(key)) return false;
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems[Number(key)] : undefined;
  return first ?? schema.items ?? true;
}

function asFound(step: unknown, root: JsonSchema): SchemaAtPath {
  if (isObject(step)) return { schema: step, root };
  return step === true ? 'any' : 'missing';
}

function ownTypes(schema: JsonSchema): ReadonlySet<JsonType> {
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  const named = typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : ALL;
  const declared = new Set(ALL.filter((type) => named.includes(type)));
  if (declared.has('number')) declared.add('integer');
  return values === undefined ? declared : meet(declared, new Set(values.map(typeOf)));
}

const meet = (one: ReadonlySet<JsonType>, other: ReadonlySet<JsonType>): ReadonlySet<JsonType> =>
  one.intersection(other);

function pointTo(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (!reference.startsWith('#')) return undefined;
  const keys = decodeURIComponent(reference.slice(1)).split('/').slice(1);
  let found: unknown = root;
  for (const key of keys) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return isObject(found) ? found : undefined;
}
