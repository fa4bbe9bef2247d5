import type { JsonSchema } from './json.ts';
import { validatorFor } from './json-schema.ts';
import { memoize } from './memoize.ts';
import type { Validator } from './validator.ts';

/** Total length of the schemas whose validators are cached; a validator takes about fifty bytes per character. */
const KEPT_CHARACTERS = 3_000_000;

/** Caches validators by definition digest: each schema is compiled once, and the least recently used are evicted. */
export const createValidatorCache = (
  most: number,
  field?: string,
): ((digest: string, schema: JsonSchema) => Validator) => {
  const validators = memoize<Validator>(most, KEPT_CHARACTERS);
  return (digest, schema) =>
    validators(
      digest,
      () => validatorFor(schema, field),
      () => JSON.stringify(schema).length,
    );
};
