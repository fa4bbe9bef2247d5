import { createRequire } from 'node:module';

interface Verdict {
  readonly isValid: boolean;
  readonly errorsText: (separator?: string) => string;
}

// The package has neither types nor an ECMAScript entry.
const validate = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => Verdict;

/** What asl-validator objects to; empty when nothing. */
export function validateAsl(definition: unknown): string {
  const { isValid, errorsText } = validate(JSON.parse(JSON.stringify(definition)));
  return isValid ? '' : errorsText('; ');
}
