import type * as z from 'zod';
import { Fault, shorten } from './errors.ts';
import { sizeOfValue } from './within-time.ts';

/** An error names at most this many fields: a body may have hundreds of thousands of wrong ones. */
const MAX_FIELDS = 20;

/** Turns zod's issues into one error that names each field, its value and the cure. */
export const invalidInput = (error: z.ZodError, input: unknown, what: string): Fault => {
  const issues = error.issues.slice(0, MAX_FIELDS).map((issue) => ({
    path: shorten(issue.path.map(String).join('.')),
    code: issue.code,
    message: describe(issue, valueAt(input, issue.path)),
  }));
  const first = issues.slice(0, 3).map(({ message }) => message);
  const more = error.issues.length - first.length;
  return new Fault('InvalidInput', `${what} is not valid: ${first.join('; ')}${more > 0 ? `; and ${more} more` : ''}`, {
    field: issues[0]?.path ?? '',
    issues,
  });
};

const describe = (issue: z.core.$ZodIssue, value: unknown): string => {
  const field = shorten(issue.path.map(String).join('.')) || 'the top level';
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (issue.path.length > 0 ? `${field}.${key}` : key));
    const more = names.length > MAX_FIELDS ? ` and ${names.length - MAX_FIELDS} more` : '';
    return `unknown field ${names
      .slice(0, MAX_FIELDS)
      .map((name) => shorten(name))
      .join(', ')}${more}: remove it`;
  }
  if (value === undefined) return `${field} is required`;
  return `${field} ${lowerFirst(issue.message)}, got ${show(value)}`;
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const show = (value: unknown): string => shorten(JSON.stringify(startOf(value)) ?? String(value));

const MAX_SHOWN = 100;

/** The part of a value that is shown, so that megabytes are not serialised for it. */
const startOf = (value: unknown): unknown => {
  if (sizeOfValue(value, MAX_SHOWN) < MAX_SHOWN) return value;
  if (typeof value === 'string') return value.slice(0, MAX_SHOWN);
  if (Array.isArray(value)) return value.slice(0, MAX_SHOWN).map(inShort);
  const entries = Object.entries(value as object).slice(0, MAX_SHOWN);
  return Object.fromEntries(entries.map(([name, each]) => [name.slice(0, MAX_SHOWN), inShort(each)]));
};

const inShort = (value: unknown): unknown => (sizeOfValue(value, MAX_SHOWN) < MAX_SHOWN ? value : '...');

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
