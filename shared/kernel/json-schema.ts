import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { ValueScope } from 'ajv/dist/compile/codegen/index.js';
import formats from 'ajv-formats';
import { boundedCheck } from './bounded-check.ts';
import { narrowChoices } from './choice-issues.ts';
import { collectPatterns, enforcedSchema } from './enforced-schema.ts';
import { Fault, messageOf, shorten } from './errors.ts';
import { isObject, type JsonSchema } from './json.ts';
import { lazily } from './lazily.ts';
import { compileSchemaPattern, weightOfPattern } from './pattern.ts';
import { requireCheapSchema } from './schema-cost.ts';
import type { SchemaIssue, Validator } from './validator.ts';

const MAX_SCHEMA_DEPTH = 16;

/** Refuses schemas that are not JSON Schema 2020-12, that are too deep, or that refer to other documents. */
export const checkSchema = (
  schema: JsonSchema,
  field: string,
  depthOfCheck: 'compiled' | 'form' = 'compiled',
): void => {
  const depth = schemaDepth(schema);
  if (depth > MAX_SCHEMA_DEPTH)
    throw new Fault('InvalidInput', `${field} is a schema ${depth} levels deep; the limit is ${MAX_SCHEMA_DEPTH}`, {
      field,
      value: depth,
      limit: MAX_SCHEMA_DEPTH,
    });
  requireFewPatterns(schema, field);
  requireCheapSchema(enforcedSchema(schema), field);
  requireForm(schema, field);
  // Compiling takes milliseconds, and finds more than the form check only in schemas with references.
  if (depthOfCheck === 'compiled' || hasReferences(schema)) compile(schema, field);
};

const MAX_PATTERNS = 200;
const MAX_PATTERN_WEIGHT = 200_000;

/** Each pattern compiles to a program, and a property name is tried on all of them. */
const requireFewPatterns = (schema: JsonSchema, field: string): void => {
  const patterns = collectPatterns(schema);
  if (patterns.length > MAX_PATTERNS)
    throw new Fault(
      'InvalidInput',
      `${field} has ${patterns.length} patterns; the limit is ${MAX_PATTERNS}: combine some, or leave them out`,
      { field, value: patterns.length, limit: MAX_PATTERNS },
    );
  const weight = patterns.reduce((sum, { pattern }) => sum + weightOfPattern(pattern), 0);
  if (weight > MAX_PATTERN_WEIGHT)
    throw new Fault(
      'InvalidInput',
      `the patterns of ${field} repeat too much: their lengths times their repetitions come to ${weight}, the limit is ${MAX_PATTERN_WEIGHT}; repeat with * or +, and bound the text with maxLength`,
      { field, value: weight, limit: MAX_PATTERN_WEIGHT },
    );
};

const references = new Set(['$ref', '$dynamicRef', '$recursiveRef', '$id', '$anchor', '$dynamicAnchor']);

const hasReferences = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(hasReferences);
  return isObject(schema) && Object.entries(schema).some(([key, value]) => references.has(key) || hasReferences(value));
};

/**
 * Compiles a schema that `checkSchema` has accepted; the caller caches the validator by the tool's digest. Validations
 * that take too long are interrupted.
 */
export const validatorFor = (schema: JsonSchema, field = 'arguments'): Validator =>
  onCopy(schema, boundedCheck(checkInPlace(schema, field), schema, field));

/** A validator without a time limit, for a process that can be killed. */
export const unlimitedValidator = (schema: JsonSchema, field: string): Validator =>
  onCopy(schema, checkInPlace(schema, field));

/** Only defaults modify the value, so only then is it copied. */
const onCopy = (schema: JsonSchema, check: Validator): Validator =>
  hasDefaults(schema) ? (value, caller) => check(copyJson(value), caller) : check;

const checkInPlace = (schema: JsonSchema, field: string): Validator => {
  const validate = compile(schema, field);
  return (value) =>
    isValid(validate, value, field)
      ? { value, issues: [] }
      : { value, issues: collectIssues(narrowChoices(validate.errors ?? [], schema)) };
};

/** Several times faster than structuredClone, which supports more than JSON. */
const copyJson = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = copyJson(value[name]);
    // Assigning to `__proto__` would set the prototype instead of a field.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: field, enumerable: true });
    else copy[name] = field;
  }
  return copy;
};

/** A stack overflow means that the schema refers to itself without end, or that the value is nested too deep for it. */
const isValid = (validate: ValidateFunction, value: unknown, field: string): boolean => {
  try {
    return validate(value);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new Fault(
      'InvalidInput',
      `${field} cannot be checked: the value is nested too deep, or its schema refers to itself without an end`,
      { field },
      { cause },
    );
  }
};

const hasDefaults = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(hasDefaults);
  return isObject(schema) && ('default' in schema || Object.values(schema).some(hasDefaults));
};

// Ajv caches patterns by their text: without `toString`, every pattern of the process would be the first one.
const regExp = Object.assign(
  (source: string) => {
    const pattern = compileSchemaPattern(source);
    return { test: (text: string) => pattern?.test(text) ?? true, toString: () => source };
  },
  { code: 'new RegExp' },
);

const options = {
  strict: false,
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  // Inlined at each of a thousand references, a definition would take seconds to compile.
  inlineRefs: false,
  // Unrolled, each required name takes as long to compile as a subschema.
  loopRequired: 4,
  // Otherwise Ajv logs each unknown format, which is only an annotation, to the console.
  logger: false,
  // `checkSchema` has done so: a process that only runs tools never compiles the meta-schema, which takes 40 ms.
  validateSchema: false,
} as const;

// One shared instance: compiling its meta-schema takes milliseconds.
const createAjv = (): { readonly ajv: Ajv2020; begin(): void; forget(schema: JsonSchema): void } => {
  // Optimising the generated code takes longer than the checks that run it.
  const ajv = new Ajv2020({ ...options, code: { regExp, optimize: false } });
  formats.default(ajv, { mode: 'fast' });
  const own = new Set(Object.keys(ajv.refs));
  return {
    ajv,
    // Ajv never releases generated code or what it refers to, so each schema gets a scope of its own.
    begin: () => void Object.assign(ajv, { scope: new ValueScope({ ...ajv.scope.opts, scope: {} }) }),
    // Removes the ids inside the schema too: other schemas must not refer to them, and they would leak.
    forget(schema) {
      ajv.removeSchema(schema);
      for (const id of Object.keys(ajv.refs)) if (!own.has(id)) delete ajv.refs[id];
    },
  };
};
const sharedAjv = lazily(createAjv);

const ROOT = 'schema:///';

/** Checks the schema against the 2020-12 meta-schema. */
const requireForm = (schema: JsonSchema, field: string): void => {
  const { ajv } = sharedAjv();
  if (ajv.validateSchema(withoutDialect(schema))) return;
  const issues = collectIssues(ajv.errors);
  throw new Fault('InvalidInput', `${field} is not a valid JSON Schema: ${describeIssues(issues)}`, { field, issues });
};

/** Ajv does not know the `$schema` of other drafts. */
const withoutDialect = ({ $schema: _, ...plain }: JsonSchema): JsonSchema => plain;

const compile = (schema: JsonSchema, field: string): ValidateFunction => {
  const { ajv, begin, forget } = sharedAjv();
  // Without an $id, Ajv does not resolve `$ref: "#"` to the root.
  const checked = { $id: ROOT, ...enforcedSchema(withoutDialect(schema)) };
  begin();
  try {
    return ajv.compile(checked);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault(
      'InvalidInput',
      `${field} cannot be used as a JSON Schema: ${messageOf(cause)}`,
      { field },
      { cause },
    );
  } finally {
    forget(checked);
  }
};

/** Further errors are only counted. */
const MAX_ISSUES = 20;
/** A caller chooses the names of unknown properties, which may be megabytes long. */
const MAX_PATH = 500;

const collectIssues = (errors: readonly ErrorObject[] | null | undefined): readonly SchemaIssue[] => {
  const issues = (errors ?? []).slice(0, MAX_ISSUES).map(toIssue);
  const more = (errors?.length ?? 0) - issues.length;
  return more > 0 ? [...issues, { path: '', message: `and ${more} more` }] : issues;
};

const toIssue = (error: ErrorObject): SchemaIssue => {
  const place = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const path = shorten(place, MAX_PATH);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'required') return { path: join(path, params.missingProperty), message: 'is required' };
  if (error.keyword === 'additionalProperties')
    return { path: join(path, params.additionalProperty), message: 'is not a known property' };
  if (error.keyword === 'enum') {
    const allowed = (params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ');
    return { path, message: `must be one of ${allowed.slice(0, 400)}` };
  }
  return { path, message: error.message ?? error.keyword };
};

const join = (path: string, key: unknown): string => shorten(path === '' ? String(key) : `${path}.${key}`, MAX_PATH);

/** One line for people: the first issues, with their paths. */
export const describeIssues = (issues: readonly SchemaIssue[]): string => {
  const shown = issues.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return issues.length > 5 ? `${shown.join('; ')}; and ${issues.length - 5} more` : shown.join('; ');
};

const containers = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

const schemaDepth = (schema: unknown): number => {
  if (Array.isArray(schema)) return Math.max(0, ...schema.map(schemaDepth));
  if (!isObject(schema)) return 0;
  let deepest = 0;
  for (const [key, value] of Object.entries(schema)) {
    const inner = containers.has(key) && isObject(value) ? Object.values(value).map(schemaDepth) : [schemaDepth(value)];
    deepest = Math.max(deepest, ...inner);
  }
  return deepest + 1;
};
