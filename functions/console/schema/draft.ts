import type { JsonObject, JsonSchema } from '../answers.ts';
import { ApiFault } from '../fault.ts';

/** The state of a form: texts as typed, so that a mistake loses nothing; pictures as objects. */
export type FormDraft = Readonly<Record<string, unknown>>;

export type Kind = 'choice' | 'boolean' | 'number' | 'line' | 'text' | 'picture' | 'json';

export interface Parameter {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly kind: Kind;
  readonly isRequired: boolean;
}

export const listParameters = (schema: JsonSchema): readonly Parameter[] => {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(objectOf(schema.properties)).map(([name, value]) => {
    const part = objectOf(value);
    return { name, schema: part, kind: kindOf(name, part), isRequired: required.has(name) };
  });
};

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** The kind of input for a schema. */
const kindOf = (name: string, schema: JsonSchema): Kind => {
  if (Array.isArray(schema.enum)) return 'choice';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'number' || schema.type === 'integer') return 'number';
  if (JSON.stringify(schema.oneOf ?? schema.anyOf ?? '').includes('"base64"')) return 'picture';
  if (schema.type !== 'string') return 'json';
  const isLong = /text|content|csv|before|after|body|code|expression/.test(name);
  return isLong || (typeof schema.maxLength === 'number' && schema.maxLength > 5000) ? 'text' : 'line';
};

/** The arguments of a form; empty fields are omitted. */
export const readArguments = (parameters: readonly Parameter[], draft: FormDraft): JsonObject =>
  Object.fromEntries(
    parameters.flatMap((parameter) => {
      const value = draft[parameter.name];
      return value === undefined || value === '' ? [] : [[parameter.name, typedValue(parameter, value)]];
    }),
  );

const typedValue = ({ name, kind, schema }: Parameter, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (kind === 'number') return Number.isNaN(Number(value)) ? value : Number(value);
  if (kind === 'boolean') return value === 'true';
  if (kind === 'choice') return (schema.enum as unknown[]).find((one) => String(one) === value) ?? value;
  return kind === 'json' ? parse(name, value) : value;
};

const parse = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiFault('InvalidInput', `${name} is not JSON: ${(cause as Error).message}`, {
      issues: [{ path: name, message: 'is not JSON; put texts in double quotes' }],
    });
  }
};

/** A form state filled with arguments. */
export const fillDraft = (parameters: readonly Parameter[], values: JsonObject): FormDraft =>
  Object.fromEntries(
    parameters.flatMap(({ name, kind }) => {
      const value = values[name];
      if (value === undefined) return [];
      const isText = kind === 'picture' || typeof value === 'string';
      return [[name, isText && kind !== 'json' ? value : JSON.stringify(value)]];
    }),
  );

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The error messages of each parameter. */
export const issuesByParameter = (fault: ApiFault | undefined): ReadonlyMap<string, string> => {
  const issues = Array.isArray(fault?.details.issues) ? (fault.details.issues as readonly Issue[]) : [];
  return new Map(issues.map(({ path, message }) => [path.split(/[.[]/)[0] ?? '', message]));
};
