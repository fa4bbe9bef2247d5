import { Fault } from '../kernel/errors.ts';
import type { JsonSchema } from '../kernel/json.ts';
import { describeIssues, type SchemaIssue, type Validator, validatorFor } from '../kernel/json-schema.ts';
import { memoize } from '../kernel/memoize.ts';
import type { VersionRecord } from '../model/registration.ts';
import { boundedCheck } from './bounded-check.ts';
import type { CallLayer } from './call.ts';

/** Checks arguments against a version's parameters and fills in defaults. */
export type CheckArguments = (record: VersionRecord, given: unknown) => Readonly<Record<string, unknown>>;

/** What is wrong with an output according to the version's output schema. */
export type CheckOutput = (record: VersionRecord, output: unknown) => readonly SchemaIssue[];

/** Compiles each definition once and caches the most recently used. */
export const createArgumentCheck = (kept = 2000): CheckArguments => {
  const validator = createValidators(kept, 'arguments');
  return (record, given) => {
    const { value, issues } = validator(record.digest, record.spec.parameters)(given);
    if (issues.length === 0) return value as Readonly<Record<string, unknown>>;
    throw new Fault('InvalidInput', `arguments of ${record.spec.name} are not valid: ${describeIssues(issues)}`, {
      tool: record.spec.name,
      field: issues[0]?.path ? `arguments.${issues[0].path}` : 'arguments',
      issues,
    });
  };
};

export const createOutputCheck = (kept = 2000): CheckOutput => {
  const validator = createValidators(kept, 'output');
  return ({ digest, spec }, output) => (spec.output_schema ? validator(digest, spec.output_schema)(output).issues : []);
};

const createValidators = (kept: number, field: string): ((digest: string, schema: JsonSchema) => Validator) => {
  const validators = memoize<Validator>(kept);
  return (digest, schema) => validators(digest, () => boundedCheck(validatorFor(schema, field), schema, field));
};

/** Lets only arguments through that match the schema and that the handler itself accepts. */
export const checkCalls: CallLayer = (context, call, next) => {
  const args = context.checkArguments(call.record, call.args);
  const checking = call.handler.check?.(args, call.actor.tenant);
  const checked = { ...call, args };
  return checking instanceof Promise ? checking.then(() => next(checked)) : next(checked);
};
