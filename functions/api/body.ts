import type * as z from 'zod';
import { checkJsonText } from '../../shared/kernel/check-json-text.ts';
import { checkShape } from '../../shared/kernel/check-nesting.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { isObject, type JsonObject } from '../../shared/kernel/json.ts';
import { invalidInput } from '../../shared/kernel/zod-fault.ts';
import { readBytes, readText } from './body-bytes.ts';
import type { ApiContext } from './env.ts';
import { parseForm } from './parse-form.ts';
import { headerOf } from './request-state.ts';
import type { Body } from './route.ts';

/** A JSON body, validated by its schema. */
export const jsonBody = <Schema extends z.ZodType>(
  schema: Schema,
): Body<{ json: z.input<Schema> }, z.output<Schema>> => ({
  schema,
  type: 'application/json',
  read: async (c) => parseBy(schema, await readJson(c), 'the body'),
});

/** A JSON body that may be left out. */
export const optionalJsonBody = <Schema extends z.ZodType>(
  schema: Schema,
): Body<{ json?: z.input<Schema> }, z.output<Schema> | undefined> => ({
  schema,
  type: 'application/json',
  isOptional: true,
  read: async (c) => ((await readText(c)) === '' ? undefined : parseBy(schema, await readJson(c), 'the body')),
});

/** A JSON object that the verb validates itself; the schema is for the OpenAPI document and the client. */
export const checkedByVerb = <Schema extends z.ZodType>(
  schema: Schema,
): Body<{ json: z.input<Schema> }, JsonObject> => ({
  schema,
  type: 'application/json',
  async read(c) {
    const value = await readJson(c);
    if (isObject(value)) return value;
    throw new Fault('InvalidInput', 'the body must be a JSON object', { field: '' });
  },
});

/** Reads a JSON body within the limits; the error for invalid JSON names the position. */
export const readJson = async (c: ApiContext): Promise<unknown> => {
  const type = headerOf(c, 'content-type') ?? '';
  if (type !== '' && !/^application\/([\w.+-]+\+)?json\b/i.test(type))
    throw new Fault('InvalidInput', `content-type ${JSON.stringify(type)} is not JSON; send application/json`, {
      field: 'content-type',
    });
  const text = await readText(c);
  if (text === '') throw new Fault('InvalidInput', 'the body is empty; send a JSON object');
  checkJsonText(text, 'the body');
  const value = parseJson(text);
  checkShape(value, { depth: 128, what: 'the body' });
  return value;
};

/** Reads form fields within the limits. */
export const readForm = async (c: ApiContext, fields: string): Promise<FormData> => {
  const form = await parseForm(await readBytes(c), headerOf(c, 'content-type') ?? '');
  if (form) return form;
  throw new Fault('InvalidInput', `the multipart body cannot be read; send the fields ${fields}`);
};

export const parseBy = <Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidInput(parsed.error, value, what);
  return parsed.data;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('InvalidInput', `the body is not JSON: ${(cause as Error).message}`, {}, { cause });
  }
};
