import type { JsonSchema } from './json.ts';
import { validatorFor } from './json-schema.ts';
import { memoize } from './memoize.ts';
import type { Validator } from './validator.ts';

/** The characters of schemas whose validators are kept; a validator takes about fifty bytes for each. */
const KEPT_CHARACTERS = 3_000_000;

/** Validators of definitions, by digest: each is compiled once, and the most recently used are kept. */
export const createValidators = (most: number, field?: string): ((digest: string, schema: JsonSchema) => Validator) => {
  const validators = memoize<Validator>(most, KEPT_CHARACTERS);
  return (digest, schema) =>
    validators(
      digest,
      () => validatorFor(schema, field),
      () => JSON.stringify(schema).length,
    );
};
