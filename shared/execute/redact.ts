import { isObject, type JsonSchema } from '../kernel/json.ts';
import { memoize } from '../kernel/memoize.ts';
import { compileSchemaPattern } from '../kernel/pattern.ts';
import { isTimeout, sizeOfValue, withinTime } from '../kernel/within-time.ts';
import type { VersionRecord } from '../model/registration.ts';

export const REDACTED = '[redacted]';

/** Redacts what the schema marks `writeOnly` or `x-sensitive`. */
export interface Redact {
  arguments(record: VersionRecord, value: unknown): unknown;
  output(record: VersionRecord, value: unknown): unknown;
  /** Whether any parameter is secret, so that arguments of another shape may contain secrets too. */
  hasSecrets(record: VersionRecord): boolean;
}

type Redactor = ((value: unknown) => unknown) | undefined;

/** Compiles each schema once and caches the most recently used. */
export const createRedact = (kept = 2000): Redact => {
  const redactors = memoize<{ readonly redactor: Redactor }>(kept);
  const redactorOf = (key: string, schema: JsonSchema | undefined): Redactor =>
    redactors(key, () => ({ redactor: schema && redactorFor(schema) })).redactor;
  const ofArguments = ({ digest, spec }: VersionRecord) => redactorOf(`i${digest}`, spec.parameters);
  const ofOutput = ({ digest, spec }: VersionRecord) => redactorOf(`o${digest}`, spec.output_schema);
  return {
    arguments: (record, value) => apply(ofArguments(record), value),
    output: (record, value) => apply(ofOutput(record), value),
    hasSecrets: (record) => ofArguments(record) !== undefined,
  };
};

/** Values with at most this many parts are redacted quickly under any schema. */
const SMALL = 100;

/** A value that cannot be redacted in time is left out entirely. */
const apply = (redactor: Redactor, value: unknown): unknown => {
  if (!redactor) return value;
  if (sizeOfValue(value, SMALL) < SMALL) return redactor(value);
  try {
    return withinTime(() => redactor(value));
  } catch (thrown) {
    if (isTimeout(thrown)) return REDACTED;
    throw thrown;
  }
};

/** The redaction for values of a schema; undefined when nothing in it is marked. */
export const redactorFor = (root: JsonSchema): Redactor => {
  if (!isMarkedAnywhere(root)) return undefined;
  const known = new Map<JsonSchema, readonly JsonSchema[]>();
  const expand: Expand = (schemas) => {
    const [only, more] = schemas;
    if (only === undefined) return none;
    if (more) return withReferences(schemas, root);
    const found = known.get(only) ?? withReferences(schemas, root);
    known.set(only, found);
    return found;
  };
  return (value) => redact(value, [root], expand);
};

/** The schemas that apply to a value, with everything they refer to. */
type Expand = (schemas: readonly JsonSchema[]) => readonly JsonSchema[];
const none: readonly JsonSchema[] = [];

const isMarked = (schema: JsonSchema): boolean => schema.writeOnly === true || schema['x-sensitive'] === true;

const isMarkedAnywhere = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(isMarkedAnywhere);
  return isObject(schema) && (isMarked(schema) || Object.values(schema).some(isMarkedAnywhere));
};

/** Several schemas may apply to a value; it is redacted when any of them marks it. */
const redact = (value: unknown, schemas: readonly JsonSchema[], expand: Expand): unknown => {
  const all = expand(schemas);
  if (all.some(isMarked)) return REDACTED;
  if (all.length === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => redact(item, schemasOfItem(all, at), expand));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, redact(field, schemasOfField(all, name), expand)]),
  );
};

const combined = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const;

/** The schemas with those they refer to or consist of; each once, so that cycles end. */
const withReferences = (schemas: readonly JsonSchema[], root: JsonSchema): readonly JsonSchema[] => {
  const all = new Set<JsonSchema>();
  const open: unknown[] = [...schemas];
  while (open.length > 0) {
    const schema = open.pop();
    if (!isObject(schema) || all.has(schema)) continue;
    all.add(schema);
    if (typeof schema.$ref === 'string') open.push(followReference(schema.$ref, root));
    for (const keyword of combined) open.push(...[schema[keyword]].flat());
    if (isObject(schema.dependentSchemas)) open.push(...Object.values(schema.dependentSchemas));
  }
  return [...all];
};

const followReference = (reference: string, root: JsonSchema): unknown => {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isObject(at) || Array.isArray(at) ? Reflect.get(at, part) : undefined), root);
};

const schemasOfItem = (schemas: readonly JsonSchema[], at: number): readonly JsonSchema[] =>
  schemas
    .flatMap(({ prefixItems, items, contains }) => [
      Array.isArray(prefixItems) ? prefixItems[at] : undefined,
      items,
      contains,
    ])
    .filter(isObject);

const schemasOfField = (schemas: readonly JsonSchema[], name: string): readonly JsonSchema[] =>
  schemas
    .flatMap(({ properties, patternProperties, additionalProperties, unevaluatedProperties }) => [
      isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined,
      ...(isObject(patternProperties) ? matching(patternProperties, name) : []),
      additionalProperties,
      unevaluatedProperties,
    ])
    .filter(isObject);

// A pattern that cannot run is taken to match, so that possible secrets stay out of records.
const matching = (patterns: JsonSchema, name: string): readonly unknown[] =>
  Object.entries(patterns).flatMap(([pattern, schema]) =>
    (compileSchemaPattern(pattern)?.test(name) ?? true) ? [schema] : [],
  );
