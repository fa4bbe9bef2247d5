import { canonicalJson } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import type { JsonSchema } from '../kernel/json.ts';
import { describeIssues, validatorFor } from '../kernel/json-schema.ts';
import { memoize } from '../kernel/memoize.ts';
import type { SchemaIssue, Validator } from '../kernel/validator.ts';
import { createValidatorCache } from '../kernel/validator-cache.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { CallLayer } from './call.ts';

/** Checks arguments against a version's parameters and fills in defaults. */
export type CheckArguments = (
  record: VersionRecord,
  given: unknown,
  /** The handler's own parameters. */
  parameters?: JsonSchema,
  tenant?: string,
) => Readonly<Record<string, unknown>>;

/** Checks an output against the version's output schema. */
export type CheckOutput = (record: VersionRecord, output: unknown) => readonly SchemaIssue[];

/** Compiles each definition once and caches the most recently used. */
export const createArgumentCheck = (kept = 2000): CheckArguments => {
  const validator = createValidatorCache(kept, 'arguments');
  const findFloor = createFloors(kept);
  return ({ digest, spec }, given, parameters, tenant) => {
    const value = accept(spec.name, validator(digest, spec.parameters)(given, tenant));
    const floor = parameters && findFloor(digest, spec.parameters, parameters);
    return floor ? accept(spec.name, floor(value, tenant)) : value;
  };
};

const accept = (tool: string, { value, issues }: ReturnType<Validator>): Readonly<Record<string, unknown>> => {
  if (issues.length === 0) return value as Readonly<Record<string, unknown>>;
  throw new Fault('InvalidInput', `arguments of ${tool} are not valid: ${describeIssues(issues)}`, {
    tool,
    field: issues[0]?.path ? `arguments.${issues[0].path}` : 'arguments',
    issues,
  });
};

/** Compiles checks by a handler's own schema; none where it is the same as the definition's. */
const createFloors = (kept: number) => {
  const floors = memoize<{ readonly check?: Validator | undefined }>(kept);
  // A handler's schema is compiled once, however many definitions use it.
  const checks = new WeakMap<JsonSchema, Validator>();
  const checkFor = (parameters: JsonSchema): Validator => {
    const check = checks.get(parameters) ?? validatorFor(parameters, 'arguments');
    checks.set(parameters, check);
    return check;
  };
  return (digest: string, own: JsonSchema, parameters: JsonSchema): Validator | undefined =>
    floors(digest, () => {
      const isSame = canonicalJson(own) === canonicalJson(parameters);
      return isSame ? {} : { check: checkFor(parameters) };
    }).check;
};

export const createOutputCheck = (kept = 2000): CheckOutput => {
  const validator = createValidatorCache(kept, 'output');
  return ({ digest, spec }, output) => (spec.output_schema ? validator(digest, spec.output_schema)(output).issues : []);
};

/** Requires arguments that match the schema and that the handler itself accepts. */
export const checkCalls: CallLayer = (context, call, next) => {
  // Nodes of a plan arrive all at once, and each check may take up to the time limit.
  const turn = context.turns.enter(call.actor.tenant);
  return turn === undefined ? checkNow(context, call, next) : turn.then(() => checkNow(context, call, next));
};

const checkNow: CallLayer = (context, call, next) => {
  const args = context.checkArguments(call.record, call.args, call.handler.parameters, call.actor.tenant);
  const { version, spec } = call.record;
  const { tenant, keyId, onBehalfOf = keyId } = call.actor;
  const checking = call.handler.check?.(args, tenant, { name: spec.name, version }, onBehalfOf);
  const checked = { ...call, args };
  return checking instanceof Promise ? checking.then(() => next(checked)) : next(checked);
};
