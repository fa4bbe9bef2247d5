import { Fault } from '../errors.ts';
import type { VersionRecord } from '../model/registration.ts';
import { describeIssues, type Validator, validatorFor } from '../registry/json-schema.ts';

/** Checks arguments against a version's parameters and fills in defaults. */
export type CheckArguments = (record: VersionRecord, given: unknown) => Readonly<Record<string, unknown>>;

/** Compiles each definition once and keeps the most recently used. */
export const createArgumentCheck = (kept = 2000): CheckArguments => {
  const validators = new Map<string, Validator>();

  const validator = ({ digest, spec }: VersionRecord): Validator => {
    const known = validators.get(digest);
    if (known) validators.delete(digest);
    const validate = known ?? validatorFor(spec.parameters);
    validators.set(digest, validate);
    if (validators.size > kept) validators.delete(validators.keys().next().value ?? digest);
    return validate;
  };

  return (record, given) => {
    const { value, issues } = validator(record)(given);
    if (issues.length === 0) return value as Readonly<Record<string, unknown>>;
    throw new Fault('InvalidInput', `arguments of ${record.spec.name} are not valid: ${describeIssues(issues)}`, {
      tool: record.spec.name,
      field: issues[0]?.path ? `arguments.${issues[0].path}` : 'arguments',
      issues,
    });
  };
};
