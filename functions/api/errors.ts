import type { ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Fault, type FaultCode, statusOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/ports.ts';
import type { Env } from './env.ts';

/** The one place where errors become answers. What is not expected says nothing internal. */
export const answerErrors =
  (log: Log): ErrorHandler<Env> =>
  (thrown, c) => {
    const fault = thrown instanceof Fault ? thrown : fromFramework(thrown);
    const requestId = c.get('requestId') ?? '';
    if (!fault) {
      log.error('unexpected error', { request_id: requestId, error: thrown.message, stack: thrown.stack });
      return c.json(
        bodyOf(
          'Internal',
          'something went wrong on our side; try again, and send us the request id if it stays',
          {},
          requestId,
        ),
        500,
      );
    }
    for (const [name, value] of Object.entries(headersOf(fault))) c.header(name, value);
    return c.json(
      bodyOf(fault.code, fault.message, fault.details, requestId),
      statusOf[fault.code] as ContentfulStatusCode,
    );
  };

export const answerNotFound: NotFoundHandler<Env> = (c) =>
  c.json(
    bodyOf(
      'NotFound',
      `there is no ${c.req.method} ${c.req.path}; GET /openapi.json lists every call`,
      {},
      c.get('requestId') ?? '',
    ),
    404,
  );

const bodyOf = (code: FaultCode, message: string, details: Readonly<Record<string, unknown>>, requestId: string) => ({
  error: { code, message, details, request_id: requestId },
});

const headersOf = (fault: Fault): Readonly<Record<string, string>> => {
  if (fault.code === 'Unauthenticated') return { 'www-authenticate': 'Bearer realm="assay"' };
  const wait = fault.details.retry_after_seconds;
  return typeof wait === 'number' ? { 'retry-after': String(Math.ceil(wait)) } : {};
};

// Hono's own refusals: a body that is not JSON, a body past the limit.
const fromFramework = (thrown: unknown): Fault | undefined => {
  if (!(thrown instanceof HTTPException) || thrown.status >= 500) return undefined;
  if (thrown.status === 413) return new Fault('TooLarge', thrown.message);
  return new Fault('InvalidInput', thrown.message || 'the request is not valid');
};
