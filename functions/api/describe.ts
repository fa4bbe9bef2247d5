import * as z from 'zod';
import type { FaultCode } from '../../shared/kernel/errors.ts';
import { statusOf } from '../../shared/kernel/errors.ts';
import type { App } from './env.ts';

/** One call as the OpenAPI document tells it. Routes are plain Hono: validation by middleware costs 0.6x of the speed. */
export interface Description {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly bodyType?: string;
  readonly answers: Readonly<Record<number, Answered>>;
  readonly faults?: readonly FaultCode[];
  /** Needs no key. */
  readonly open?: boolean;
}

interface Answered {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly type?: string;
}

const ErrorBody = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error', description: 'What happened, with the values, and the cure.' });

/** Registers a call's description beside its route. */
export const describe = (app: App, call: Description): void => {
  const { method, path, summary, tag, params, query, body, open = false } = call;
  const request = {
    params,
    query,
    ...(body === undefined
      ? {}
      : { body: { required: true, content: { [call.bodyType ?? 'application/json']: { schema: body } } } }),
  };
  app.openAPIRegistry.registerPath({
    method,
    path,
    summary,
    operationId: operationIdOf(method, path),
    tags: [tag],
    request,
    security: open ? [] : [{ bearer: [] }, { apiKey: [] }],
    responses: {
      ...answersOf(call.answers),
      ...faultsOf(open ? (call.faults ?? []) : ['Unauthenticated', 'Forbidden', ...(call.faults ?? [])]),
    },
  });
};

const answersOf = (answers: Description['answers']) =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, type = 'application/json' }]) => [
      status,
      schema === undefined ? { description } : { description, content: { [type]: { schema } } },
    ]),
  );

const faultsOf = (codes: readonly FaultCode[]) =>
  Object.fromEntries(
    codes.map((code) => [
      statusOf[code],
      { description: code, content: { 'application/json': { schema: ErrorBody } } },
    ]),
  );

const operationIdOf = (method: string, path: string): string =>
  `${method}${path
    .replace(/^\/v1/, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;
