import { StateError } from './state-error.ts';

/** The quota for the input, output and variables of a state. */
const MAX_STATE_BYTES = 262_144;
export const MAX_EXECUTION_VARIABLE_BYTES = 10_485_760;

/** A copy of the value as plain JSON; refuses one that exceeds the quota, naming it by `what`. */
export function jsonWithin(value: unknown, what: string): unknown {
  const text = textWithin(value, what);
  return text === undefined ? null : JSON.parse(text);
}

/** The size of the value in bytes; refuses one that exceeds the quota. */
export function bytesWithin(value: unknown, what: string): number {
  const text = textWithin(value, what);
  return text === undefined ? 0 : Buffer.byteLength(text);
}

function textWithin(value: unknown, what: string): string | undefined {
  const text = JSON.stringify(value);
  // A UTF-16 unit takes at most three bytes, so short texts need no counting.
  if (text === undefined || text.length * 3 <= MAX_STATE_BYTES) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_STATE_BYTES) return text;
  throw new StateError('States.DataLimitExceeded', `${what} has ${bytes} bytes, ${MAX_STATE_BYTES} are allowed`);
}
