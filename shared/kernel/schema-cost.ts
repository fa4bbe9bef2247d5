import { NAMED } from './enforced-schema.ts';
import { Fault } from './errors.ts';
import { isObject, type JsonObject, type JsonSchema } from './json.ts';

/** As many as compile in about a tenth of a second; a schema of 64 KB written by people has a few hundred. */
const MAX_PARTS = 1500;
/** Each definition that is referred to compiles to a function of its own. */
const PARTS_OF_REFERENCE = 8;

/** Refuses a schema that would block the event loop while it is compiled, since nothing can interrupt that. */
export const requireCheapSchema = (schema: JsonSchema, field: string): void => {
  const parts = Math.round(estimateCost(schema));
  if (parts <= MAX_PARTS) return;
  throw new Fault(
    'InvalidInput',
    `${field} takes too long to prepare: its subschemas, keywords and references come to ${parts} parts, the limit is ${MAX_PARTS}; use enum or anyOf for alternatives, and fewer references or unevaluated keywords`,
    { field, value: parts, limit: MAX_PARTS },
  );
};

/**
 * The cost of compiling, in plain subschemas. Unevaluated properties cost the square: each part is followed through all
 * others.
 */
const estimateCost = (schema: JsonSchema): number => {
  const found = { parts: 0, more: 0, follows: false, references: new Set<unknown>() };
  // A reference may point into a value such as `default`, which is then a schema too.
  const hasReferences = /"\$(dynamicRef|recursiveRef|ref)"/.test(JSON.stringify(schema));
  const open: unknown[] = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next.filter(isNested));
    else if (isObject(next)) {
      found.parts++;
      addKeywords(found, next);
      for (const [key, value] of Object.entries(next)) {
        if (NAMED.has(key) && isObject(value)) open.push(...Object.values(value).filter(isNested));
        else if (isNested(value) && (hasReferences || !VALUES.has(key))) open.push(value);
      }
    }
  }
  const { parts, more, follows, references } = found;
  return parts + more + PARTS_OF_REFERENCE * references.size + (follows ? parts ** 2 / 100 : 0);
};

interface Found {
  more: number;
  follows: boolean;
  readonly references: Set<unknown>;
}

const addKeywords = (found: Found, part: JsonObject): void => {
  const keywords = Object.keys(part).filter((key) => CHECKS.has(key)).length;
  found.more += Math.max(0, keywords - 1) / 2;
  if (typeof part.format === 'string') found.more++;
  // Each alternative is compiled inside the one before.
  if (Array.isArray(part.oneOf)) found.more += part.oneOf.length ** 2 / 200;
  if (isObject(part.dependentRequired))
    for (const names of Object.values(part.dependentRequired))
      found.more += Array.isArray(names) ? Math.max(0.5, 1.5 * names.length - 1) : 0;
  if (part.unevaluatedProperties !== undefined || part.unevaluatedItems !== undefined) found.follows = true;
  if (part.$ref !== undefined) found.references.add(part.$ref);
  if (part.$dynamicRef !== undefined) found.references.add(part.$dynamicRef);
};

/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

/** Keywords that compile to code of their own. */
const CHECKS: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['contains', 'maxProperties', 'minProperties', 'required', 'additionalProperties', 'propertyNames', 'items'],
  ...['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf'],
]);

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
