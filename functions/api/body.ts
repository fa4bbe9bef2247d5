import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod';
import { checkShape } from '../../shared/kernel/check-nesting.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { faultOf } from '../../shared/kernel/zod-fault.ts';
import type { ApiContext, Env } from './env.ts';

export const MAX_BODY_BYTES = 4 * 1024 * 1024;

const tooLarge = (): never => {
  throw new Fault(
    'TooLarge',
    `the body is larger than ${MAX_BODY_BYTES} bytes; send pictures through POST /v1/uploads`,
    { limit: MAX_BODY_BYTES },
  );
};

const limitStreams = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge });

/**
 * Refuses a body past the limit before it is read whole. One that says its length is held to it by the server;
 * Hono's own limit would build the whole web request for it, a sixth of a call's time.
 */
export const limitBodies: MiddlewareHandler<Env> = (c, next) => (isBounded(c) ? next() : limitStreams(c, next));

/** Whether a body says its length, and one within the limit. */
export const isBounded = (c: ApiContext): boolean => {
  const length = c.req.header('content-length');
  return length !== undefined && Number(length) <= MAX_BODY_BYTES && c.req.header('transfer-encoding') === undefined;
};

/** Reads a JSON body within the limits; what is not JSON is refused with the place. */
export const readJson = async (c: ApiContext): Promise<unknown> => {
  const type = c.req.header('content-type') ?? '';
  if (type !== '' && !/^application\/([\w.+-]+\+)?json\b/i.test(type))
    throw new Fault('InvalidInput', `content-type ${JSON.stringify(type)} is not JSON; send application/json`, {
      field: 'content-type',
    });
  const text = await c.req.text();
  if (text === '') throw new Fault('InvalidInput', 'the body is empty; send a JSON object');
  const value = parseJson(text);
  checkShape(value, { depth: 128, what: 'the body' });
  return value;
};

/** Reads a JSON body by its schema. */
export const readBody = async <T>(c: ApiContext, schema: z.ZodType<T>): Promise<T> =>
  parseBy(schema, await readJson(c), 'the body');

export const parseBy = <T>(schema: z.ZodType<T>, value: unknown, what: string): T => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw faultOf(parsed.error, value, what);
  return parsed.data;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('InvalidInput', `the body is not JSON: ${(cause as Error).message}`, {}, { cause });
  }
};
