import { HTTPException } from 'hono/http-exception';
import type { Oauth } from '../../shared/assay.ts';
import { errorAnswer } from '../../shared/kernel/error-answer.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import type { ApiContext } from './env.ts';
import { challengeFor } from './oauth-challenge.ts';
import { stateOf } from './request-state.ts';

export type AnswerError = (thrown: Error, c: ApiContext) => Response;

/** The one place where errors become answers. Unexpected errors reveal nothing internal. */
export const answerErrors =
  (log: Log, oauth?: Oauth): AnswerError =>
  (thrown, c) => {
    const answerFault = (fault: Fault): Response => answer(c, fault, oauth);
    const fault = thrown instanceof Fault ? thrown : fromFramework(thrown);
    if (fault && 'table' in fault.details) {
      // Internal details of the store are only for the operator's log.
      log.error('store unavailable', { request_id: stateOf(c).requestId, error: fault.message });
      const message = 'the store does not answer at the moment; try again';
      return answerFault(new Fault(fault.code, message, { retry_after_seconds: 1 }));
    }
    if (fault) return answerFault(fault);
    log.error('unexpected error', { request_id: stateOf(c).requestId, error: thrown.message, stack: thrown.stack });
    const message = 'something went wrong on our side; try again, and send us the request id if it stays';
    return answerFault(new Fault('Internal', message));
  };

/** The error for a call that does not exist. */
export const unknownCall = (c: ApiContext): Fault =>
  new Fault('NotFound', `there is no ${c.req.method} ${c.req.path}; GET /openapi.json lists every call`);

const answer = (c: ApiContext, fault: Fault, oauth: Oauth | undefined): Response => {
  const { status, body, headers } = errorAnswer(fault, stateOf(c).requestId);
  const challenge = oauth && challengeFor(oauth, c.req.url, fault);
  return new Response(body, {
    status,
    headers: challenge === undefined ? headers : { ...headers, 'www-authenticate': challenge },
  });
};

// Hono's own refusals, such as an unreadable form.
const fromFramework = (thrown: unknown): Fault | undefined => {
  if (!(thrown instanceof HTTPException) || thrown.status >= 500) return undefined;
  if (thrown.status === 413) return new Fault('TooLarge', thrown.message);
  return new Fault('InvalidInput', thrown.message || 'the request is not valid');
};
