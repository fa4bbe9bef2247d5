import type { Assay } from '../../shared/assay.ts';
import { givenRequestId } from '../../shared/kernel/request-id.ts';
import type { ApiContext } from './env.ts';
import { beginState, stateOf } from './request-state.ts';

/** Gives each request an id, and logs one line when it is answered. */
export interface RequestLog {
  /** The time at which it began. */
  begin(c: ApiContext): number;
  end(c: ApiContext, startedAt: number, response: Response, traceId?: string): Response;
}

export const createRequestLog = ({ clock, log }: Pick<Assay, 'clock' | 'log'>): RequestLog => {
  // An id per process with a counter: a new ULID per request would take a tenth of a lookup's time.
  const prefix = `${clock.newId()}-`;
  let count = 0;
  const requestIdOf = (given: string | undefined): string => givenRequestId(given) ?? `${prefix}${++count}`;
  return {
    begin(c) {
      beginState(c, requestIdOf);
      return clock.now();
    },
    end(c, startedAt, response, traceId) {
      const { requestId, isIdentified, actor } = stateOf(c);
      // Setting a header on a finished response makes the server rebuild it, so most answers include theirs.
      if (!isIdentified) response.headers.set('x-request-id', requestId);
      log.info('request', {
        method: c.req.method,
        path: c.req.path,
        status: response.status,
        ms: clock.now() - startedAt,
        request_id: requestId,
        trace_id: traceId,
        key: actor?.keyId,
        tenant: actor?.tenant,
      });
      return response;
    },
  };
};
