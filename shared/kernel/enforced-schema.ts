import { isObject, type JsonObject, type JsonSchema } from './json.ts';
import { compileSchemaPattern } from './pattern.ts';

/** Where keywords hold subschemas: under names, in a list, or directly. */
export const NAMED = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLE = new Set([
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'items',
  'unevaluatedItems',
  'contains',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
]);

interface PatternAt {
  /** The JSON Pointer of the keyword. */
  readonly path: string;
  readonly pattern: string;
}

/** The patterns of a schema, for values and for names of fields. */
export const collectPatterns = (schema: unknown): readonly PatternAt[] =>
  partsOf(schema, '').flatMap(({ part, path }) => [
    ...(typeof part.pattern === 'string' ? [{ path: `${path}/pattern`, pattern: part.pattern }] : []),
    ...(isObject(part.patternProperties) ? Object.keys(part.patternProperties) : []).map((pattern) => ({
      path: `${path}/patternProperties`,
      pattern,
    })),
  ]);

/** The patterns of a schema that RE2 cannot run. */
export const unenforcedPatterns = (schema: unknown): readonly PatternAt[] =>
  collectPatterns(schema).filter(({ pattern }) => isUnrunnable(pattern));

/**
 * The schema as Ajv checks it. Patterns that RE2 cannot run are left out, and keywords that would turn their absence
 * into a refusal (`not`, `oneOf`, `if`, `maxContains`) are loosened, so that no valid value is refused. Keywords that
 * Ajv knows and JSON Schema does not are removed where Ajv would reject the schema for them, and alternatives that are
 * constants become one `enum`.
 */
export const enforcedSchema = (schema: JsonSchema): JsonSchema => {
  const isLoose = unenforcedPatterns(schema).length > 0;
  const depends = (part: unknown): boolean =>
    isLoose &&
    (unenforcedPatterns(part).length > 0 ||
      partsOf(part, '').some(({ part: { $ref, $dynamicRef } }) => $ref !== undefined || $dynamicRef !== undefined));
  return enforced(withStaticReferences(schema), depends) as JsonSchema;
};

type Depends = (part: unknown) => boolean;

/** A dynamic reference that can mean only one anchor becomes a plain reference, which Ajv resolves better. */
const withStaticReferences = (schema: JsonSchema): JsonSchema => {
  const parts = partsOf(schema, '').map(({ part }) => part);
  if (!parts.some(({ $dynamicRef }) => typeof $dynamicRef === 'string')) return schema;
  const anchors = parts.map(({ $dynamicAnchor }) => `#${$dynamicAnchor}`);
  const copy = structuredClone(schema);
  for (const { part } of partsOf(copy, '')) {
    const { $dynamicRef: target, $ref } = part;
    if (typeof target !== 'string' || $ref !== undefined) continue;
    if (target.startsWith('#') && anchors.filter((anchor) => anchor === target).length > 1) continue;
    Object.assign(part, { $ref: target });
    Reflect.deleteProperty(part, '$dynamicRef');
  }
  return copy;
};

const enforced = (schema: unknown, depends: Depends): unknown => {
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema)
    .filter(([key, value]) => !isForeign(key, schema) && !(key === 'pattern' && isUnrunnable(value)))
    .map(([key, value]) => [key, enforcedPart(key, value, depends)] as const);
  const [choice, constants] = collectConstants(schema);
  if (choice !== undefined) {
    const { [choice]: _, ...rest } = schema;
    return enforced({ ...rest, allOf: [...listOf(schema.allOf), { enum: constants }] }, depends);
  }
  // A schema with only `$id` and `$ref` makes Ajv resolve the reference forever.
  if (typeof schema.$id === 'string' && typeof schema.$ref === 'string') {
    const { $ref, ...rest } = schema;
    return enforced({ ...rest, allOf: [...listOf(schema.allOf), { $ref }] }, depends);
  }
  // An empty `enum` is valid and matches nothing, but Ajv rejects it.
  if (Array.isArray(schema.enum) && schema.enum.length === 0) {
    const { enum: _, ...rest } = schema;
    return enforced({ ...rest, allOf: [...listOf(schema.allOf), { not: {} }] }, depends);
  }
  return loosened(Object.fromEntries(kept), schema, depends);
};

/** Finds alternatives that are all constants with annotations: as one `enum`, thousands of them compile. */
const collectConstants = (
  schema: JsonObject,
): readonly [choice: 'anyOf' | 'oneOf' | undefined, constants: unknown[]] => {
  const choice = (['anyOf', 'oneOf'] as const).find((key) => {
    const options = listOf(schema[key]);
    return options.length > 1 && options.every(isConstant) && (key === 'anyOf' || areDistinct(options));
  });
  return [choice, choice === undefined ? [] : listOf(schema[choice]).map((option) => (option as JsonObject).const)];
};

const WORDS: ReadonlySet<string> = new Set(['const', 'title', 'description', '$comment']);

const isConstant = (option: unknown): boolean =>
  isObject(option) &&
  option.const !== undefined &&
  (typeof option.const !== 'object' || option.const === null) &&
  Object.entries(option).every(([key, value]) => WORDS.has(key) && (key === 'const' || typeof value === 'string'));

const areDistinct = (options: readonly unknown[]): boolean =>
  new Set(options.map((option) => (option as JsonObject).const)).size === options.length;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const enforcedPart = (key: string, value: unknown, depends: Depends): unknown => {
  if (NAMED.has(key) && isObject(value)) return enforcedNames(key, value, depends);
  if (LISTS.has(key) && Array.isArray(value)) return value.map((part) => enforced(part, depends));
  return SINGLE.has(key) ? enforced(value, depends) : value;
};

// An unenforceable name pattern might match any name, so it is replaced by one that does: no other keyword refuses a
// name.
const enforcedNames = (key: string, named: JsonObject, depends: Depends): JsonObject => {
  const entries = Object.entries(named).map(([name, part]): readonly [string, unknown] =>
    key === 'patternProperties' && isUnrunnable(name) ? ['', true] : [name, enforced(part, depends)],
  );
  return Object.fromEntries(entries);
};

const loosened = (result: Record<string, unknown>, given: JsonObject, depends: Depends): JsonObject => {
  const also: unknown[] = [];
  if (given.not !== undefined && depends(given.not)) delete result.not;
  if (given.contains !== undefined && depends(given.contains)) delete result.maxContains;
  if (given.oneOf !== undefined && depends(given.oneOf)) {
    also.push({ anyOf: result.oneOf });
    delete result.oneOf;
  }
  if (given.if !== undefined && depends(given.if)) {
    const { if: condition, then: yes = true, else: no = true } = result;
    also.push({ anyOf: [{ allOf: [condition, yes] }, no] });
    for (const key of ['if', 'then', 'else']) delete result[key];
  }
  if (also.length > 0) result.allOf = [...(Array.isArray(result.allOf) ? result.allOf : []), ...also];
  return result;
};

/**
 * Keywords of Ajv alone: `$async` makes validation return a promise; `id`, and `nullable` without a type, are rejected.
 */
const isForeign = (key: string, schema: JsonObject): boolean =>
  key === '$async' || key === 'id' || (key === 'nullable' && (schema.type === undefined || schema.nullable !== true));

const isUnrunnable = (pattern: unknown): pattern is string =>
  typeof pattern === 'string' && compileSchemaPattern(pattern) === undefined;

interface Part {
  readonly part: JsonObject;
  readonly path: string;
}

/** A schema and all the schemas in it. */
const partsOf = (schema: unknown, path: string): readonly Part[] => {
  if (Array.isArray(schema)) return schema.flatMap((part, index) => partsOf(part, `${path}/${index}`));
  if (!isObject(schema)) return [];
  const inner = Object.entries(schema).flatMap(([key, value]): readonly Part[] => {
    if (NAMED.has(key) && isObject(value))
      return Object.entries(value).flatMap(([name, part]) => partsOf(part, `${path}/${key}/${pointerPart(name)}`));
    return LISTS.has(key) || SINGLE.has(key) ? partsOf(value, `${path}/${key}`) : [];
  });
  return [{ part: schema, path }, ...inner];
};

const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
