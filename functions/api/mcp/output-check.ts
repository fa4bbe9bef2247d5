import type { VersionRecord } from '../../../shared/model/registration.ts';
import { describeIssues, type Validator, validatorFor } from '../../../shared/registry/json-schema.ts';

/** Says what is wrong with an output, as clients hold it against the output schema that the list shows. */
export type OutputCheck = (record: VersionRecord, output: unknown) => string | undefined;

const MAX_KEPT = 1000;

export const createOutputCheck = (): OutputCheck => {
  const validators = new Map<string, Validator>();
  return ({ digest, spec }, output) => {
    if (spec.output_schema === undefined) return undefined;
    const validate = validators.get(digest) ?? validatorFor(spec.output_schema);
    if (validators.size >= MAX_KEPT) validators.clear();
    validators.set(digest, validate);
    const { issues } = validate(output);
    return issues.length === 0
      ? undefined
      : `the output of ${spec.name} does not fit its output_schema: ${describeIssues(issues)}`;
  };
};
