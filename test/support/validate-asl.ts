import { createRequire } from 'node:module';

interface Verdict {
  readonly isValid: boolean;
  readonly errorsText: (separator?: string) => string;
}

// The package has neither types nor an ES module entry.
const validate = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => Verdict;

/** The errors that asl-validator finds; empty if there are none. */
export function validateAsl(definition: unknown): string {
  const { isValid, errorsText } = validate(JSON.parse(JSON.stringify(definition)));
  return isValid ? '' : errorsText('; ');
}
