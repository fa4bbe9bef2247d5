import { describeIssues } from '../kernel/json-schema.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { CheckOutput } from './validate.ts';

export const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * Converts a tool's return value to the JSON value that callers get; a value that is not JSON is the tool's failure.
 */
export const acceptOutput = (record: VersionRecord, returned: unknown, checkOutput: CheckOutput): unknown => {
  const { name } = record.spec;
  const text = writeJson(name, returned);
  // The cheap check first: a text has at least as many bytes as UTF-16 units.
  if (text.length > MAX_OUTPUT_BYTES || Buffer.byteLength(text) > MAX_OUTPUT_BYTES) throw outputTooLarge(name);
  const output: unknown = JSON.parse(text);
  const issues = checkOutput(record, output);
  if (issues.length > 0)
    throw failure('InvalidOutput', `${name} returned what its output_schema refuses: ${describeIssues(issues)}`);
  return output;
};

const writeJson = (name: string, returned: unknown): string => {
  try {
    return JSON.stringify(returned) ?? 'null';
  } catch (cause) {
    throw failure('InvalidOutput', `${name} returned what cannot be written as JSON: ${String(cause)}`);
  }
};

export const outputTooLarge = (tool: string): Error =>
  failure('OutputTooLarge', `${tool} returned more than ${MAX_OUTPUT_BYTES} bytes of JSON; return less, or a key`);

/** An error with the type that a failed outcome shows. */
export const failure = (type: string, message: string): Error => Object.assign(new Error(message), { name: type });
