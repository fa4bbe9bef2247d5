import { Fault } from './errors.ts';
import { isObject, type JsonSchema } from './json.ts';
import { weightOfPattern } from './pattern.ts';
import type { Validator } from './validator.ts';
import { isTimeout, MOST_MS, sizeOfValue, withinTime } from './within-time.ts';

/** Parts of the schema times parts of the value that are checked without a watchdog: a few milliseconds. */
const SMALL = 100_000;
/** A step of a pattern takes longer than looking at a part, and a value's characters count as quarters of one. */
const STEPS_OF_PATTERN = 4;
/** How many times who sent too much is refused without a look. */
const REFUSED_TIMES = 50;
const MOST_CALLERS = 1000;

/**
 * Bounds the time of a validation: exponential where definitions refer to the same part twice, level upon level,
 * quadratic where items must be unique, and the product of both sizes where a long list meets a long enum.
 */
export const boundedCheck = (validate: Validator, schema: JsonSchema, field: string): Validator => {
  const parts = partsOf(schema);
  const isWatched = refersTwice(parts) || parts.some(({ uniqueItems }) => uniqueItems === true);
  const mostUnits = isWatched ? 0 : SMALL / (sizeOfValue(schema) + STEPS_OF_PATTERN * weightOfPatterns(parts));
  const refused = new Map<string, { readonly units: number; left: number }>();
  return (value, caller = '') => {
    if (sizeOfValue(value, mostUnits) < mostUnits) return validate(value);
    const units = sizeOfValue(value);
    const last = refused.get(caller);
    // Once is enough: every retry with as much would block the process as long. Other callers have done nothing.
    if (last && units >= last.units && last.left-- > 0) throw tooSlow(field);
    try {
      return withinTime(() => validate(value));
    } catch (thrown) {
      if (!isTimeout(thrown)) throw thrown;
      if (refused.size >= MOST_CALLERS) refused.clear();
      refused.set(caller, { units, left: REFUSED_TIMES });
      throw tooSlow(field);
    }
  };
};

/** Whether any definition is referred to from more than one place. */
const refersTwice = (parts: readonly JsonSchema[]): boolean => {
  const seen = new Set<unknown>();
  for (const { $ref, $dynamicRef } of parts)
    for (const target of [$ref, $dynamicRef]) {
      if (typeof target === 'string' && seen.has(target)) return true;
      seen.add(target);
    }
  return false;
};

/** All are written out as programs, and a text may be taken through each. */
const weightOfPatterns = (parts: readonly JsonSchema[]): number => {
  const sources = parts.flatMap(({ pattern, patternProperties }) => [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ]);
  return sources.reduce((sum, source) => sum + weightOfPattern(source), 0);
};

const partsOf = (schema: unknown): readonly JsonSchema[] => {
  if (Array.isArray(schema)) return schema.flatMap(partsOf);
  return isObject(schema) ? [schema, ...Object.values(schema).flatMap(partsOf)] : [];
};

const tooSlow = (field: string): Fault =>
  new Fault(
    'InvalidInput',
    `${field} cannot be checked within ${MOST_MS} ms by its schema; send less, or simplify the schema`,
    { field, limit_ms: MOST_MS },
  );
