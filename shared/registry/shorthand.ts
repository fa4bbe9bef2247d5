import { isObject, type JsonSchema } from '../kernel/json.ts';

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Expands `{"city": "string"}` to JSON Schema with all keys required; a schema is left unchanged. */
export const expandShorthand = (schema: unknown): unknown => {
  if (!isObject(schema) || !isShorthand(schema)) return schema;
  const names = Object.keys(schema);
  const properties = Object.fromEntries(names.map((name) => [name, { type: schema[name] }]));
  return { type: 'object', properties, required: names } satisfies JsonSchema;
};

// `{}` is shorthand for no parameters. A `type` keyword that is a type name makes it a schema.
const isShorthand = (schema: JsonSchema): boolean =>
  !('type' in schema) && Object.values(schema).every((value) => typeof value === 'string' && typeNames.has(value));
