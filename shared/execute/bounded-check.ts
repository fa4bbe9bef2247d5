import { Script } from 'node:vm';
import { Fault } from '../kernel/errors.ts';
import { isObject, type JsonSchema } from '../kernel/json.ts';
import type { Validator } from '../kernel/json-schema.ts';

const MOST_MS = 50;

/**
 * Bounds the time of a validation that may take long: exponential where definitions refer to the same part twice, level
 * upon level, quadratic where items must be unique. It runs under a watchdog, which costs a tenth of a millisecond;
 * every other validation runs directly.
 */
export const boundedCheck = (validate: Validator, schema: JsonSchema, field: string): Validator => {
  const [doubles, compares] = [refersTwice(schema), comparesItems(schema)];
  if (!doubles && !compares) return validate;
  let isHopeless = false;
  return (value) => {
    if (isHopeless) throw tooSlow(field);
    try {
      return withinTime(() => validate(value));
    } catch (thrown) {
      if ((thrown as { readonly code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
      // Once is enough when the schema itself is the cause: every retry would block the server as long.
      isHopeless = !compares;
      throw tooSlow(field);
    }
  };
};

/** Whether any definition is referred to from more than one place. */
const refersTwice = (schema: JsonSchema): boolean => {
  const seen = new Set<unknown>();
  for (const { $ref, $dynamicRef } of partsOf(schema))
    for (const target of [$ref, $dynamicRef]) {
      if (typeof target === 'string' && seen.has(target)) return true;
      seen.add(target);
    }
  return false;
};

const comparesItems = (schema: JsonSchema): boolean => partsOf(schema).some(({ uniqueItems }) => uniqueItems === true);

const partsOf = (schema: unknown): readonly JsonSchema[] => {
  if (Array.isArray(schema)) return schema.flatMap(partsOf);
  return isObject(schema) ? [schema, ...Object.values(schema).flatMap(partsOf)] : [];
};

// The only way to interrupt a synchronous function on its own thread.
const slot = Symbol.for('assay.bounded-check');
const script = new Script('globalThis[Symbol.for("assay.bounded-check")]()');

const withinTime = <T>(work: () => T): T => {
  const scope = globalThis as { [slot]?: (() => T) | undefined };
  const outer = scope[slot];
  scope[slot] = work;
  try {
    return script.runInThisContext({ timeout: MOST_MS }) as T;
  } finally {
    scope[slot] = outer;
  }
};

const tooSlow = (field: string): Fault =>
  new Fault(
    'InvalidInput',
    `${field} cannot be checked within ${MOST_MS} ms by its schema; send less, or simplify the schema`,
    { field, limit_ms: MOST_MS },
  );
