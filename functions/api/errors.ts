import type { ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { errorAnswer } from '../../shared/kernel/error-answer.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import type { ApiContext, Env } from './env.ts';

/** The one place where errors become answers. What is not expected says nothing internal. */
export const answerErrors =
  (log: Log): ErrorHandler<Env> =>
  (thrown, c) => {
    const fault = thrown instanceof Fault ? thrown : fromFramework(thrown);
    if (fault) return answerFault(c, fault);
    log.error('unexpected error', { request_id: c.get('requestId'), error: thrown.message, stack: thrown.stack });
    const message = 'something went wrong on our side; try again, and send us the request id if it stays';
    return answerFault(c, new Fault('Internal', message));
  };

export const answerNotFound: NotFoundHandler<Env> = (c) => {
  const message = `there is no ${c.req.method} ${c.req.path}; GET /openapi.json lists every call`;
  return answerFault(c, new Fault('NotFound', message));
};

const answerFault = (c: ApiContext, fault: Fault): Response => {
  const { status, body, headers } = errorAnswer(fault, c.get('requestId') ?? '');
  return c.body(body, status as 400, headers);
};

// Hono's own refusals: a body that is not JSON, a body past the limit.
const fromFramework = (thrown: unknown): Fault | undefined => {
  if (!(thrown instanceof HTTPException) || thrown.status >= 500) return undefined;
  if (thrown.status === 413) return new Fault('TooLarge', thrown.message);
  return new Fault('InvalidInput', thrown.message || 'the request is not valid');
};
