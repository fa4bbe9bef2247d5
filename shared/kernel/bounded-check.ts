import { Fault } from './errors.ts';
import { isObject, type JsonSchema } from './json.ts';
import { weightOfPattern } from './pattern.ts';
import type { Validator } from './validator.ts';
import { isTimeout, MAX_CPU_MS, sizeOfValue, withinTime } from './within-time.ts';

/**
 * Checks of at most this many units (schema size times value size) run without a watchdog: they take a few
 * milliseconds.
 */
const SMALL = 100_000;
/**
 * Weight of a regular expression's step: it costs more than visiting a part, and a character counts as a quarter part.
 */
const STEPS_OF_PATTERN = 4;
/** After a timeout, how many values as large from the same caller are refused unchecked. */
const REFUSED_TIMES = 50;
const MAX_CALLERS = 1000;

/**
 * Limits the time of a validation. It can be exponential (definitions that refer to the same definition twice, level
 * upon level), quadratic (`uniqueItems`), or the product of both sizes (a long list checked against a long enum).
 */
export const boundedCheck = (validate: Validator, schema: JsonSchema, field: string): Validator => {
  const parts = partsOf(schema);
  const isWatched = refersTwice(parts) || parts.some(({ uniqueItems }) => uniqueItems === true);
  const maxUnits = isWatched ? 0 : SMALL / (sizeOfValue(schema) + STEPS_OF_PATTERN * weightOfPatterns(parts));
  const refused = new Map<string, { readonly units: number; left: number }>();
  return (value, caller = '') => {
    if (sizeOfValue(value, maxUnits) < maxUnits) return validate(value);
    const units = sizeOfValue(value);
    const last = refused.get(caller);
    // A retry of the same size would block the process again, so it is refused unchecked. Other callers are unaffected.
    if (last && units >= last.units && last.left-- > 0) throw tooSlow(field);
    try {
      return withinTime(() => validate(value));
    } catch (thrown) {
      if (!isTimeout(thrown)) throw thrown;
      if (refused.size >= MAX_CALLERS) refused.clear();
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

/** The total weight of all patterns: each compiles to a program, and a text may run through each of them. */
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
    `${field} cannot be checked within ${MAX_CPU_MS} ms by its schema; send less, or simplify the schema`,
    { field, limit_ms: MAX_CPU_MS },
  );
