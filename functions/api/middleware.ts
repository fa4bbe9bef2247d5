import type { ErrorHandler, MiddlewareHandler } from 'hono';
import { presentedKey } from '../../shared/access/admit.ts';
import type { Assay } from '../../shared/assay.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { givenRequestId } from '../../shared/kernel/request-id.ts';
import { type Actor, TenantName } from '../../shared/model/key.ts';
import type { ApiContext, Env } from './env.ts';

/** Gives each request an id, and one line in the log when it is done. */
export interface Tracer {
  /** The time at which it began. */
  begin(c: ApiContext): number;
  end(c: ApiContext, startedAt: number, response: Response): void;
}

export const createTracer = ({ clock, log }: Assay): Tracer => {
  // One id a process and a count: a new ULID for each request would be a tenth of a lookup's time.
  const process = clock.newId();
  let count = 0;
  return {
    begin(c) {
      c.set('requestId', givenRequestId(c.req.header('x-request-id')) ?? `${process}-${(++count).toString(36)}`);
      return clock.now();
    },
    end(c, startedAt, response) {
      const requestId = c.get('requestId');
      // A header set on a finished response makes the server rebuild it: answers bring theirs along.
      if (c.get('identified') !== true) response.headers.set('x-request-id', requestId);
      log.info('request', {
        method: c.req.method,
        path: c.req.path,
        status: response.status,
        ms: clock.now() - startedAt,
        request_id: requestId,
        key: c.get('actor')?.keyId,
        tenant: c.get('tenant'),
      });
    },
  };
};

export const traceRequests = ({ begin, end }: Tracer): MiddlewareHandler<Env> =>
  async function traceRequests(c, next) {
    const startedAt = begin(c);
    await next();
    end(c, startedAt, c.res);
  };

/** Finds out who is calling, and for which tenant; no promise where nothing needs to be waited for. */
export type Admission = (c: ApiContext) => undefined | Promise<void>;

export const createAdmission = ({ authenticate, limitRate }: Assay): Admission => {
  const enter = (c: ApiContext, actor: Actor): void => {
    const tenant = tenantOf(c, actor);
    c.set('actor', tenant === actor.tenant ? actor : { ...actor, tenant });
    c.set('tenant', tenant);
  };
  const admitLater = async (c: ApiContext, found: Actor | Promise<Actor>, limited: Promise<void> | undefined) => {
    const actor = await found;
    await (limited ?? limitRate(actor));
    enter(c, actor);
  };
  return (c) => {
    const authorization = c.req.header('authorization');
    const apiKey = authorization === undefined ? c.req.header('x-api-key') : undefined;
    const found = authenticate(presentedKey(authorization, apiKey));
    if (found instanceof Promise) return admitLater(c, found, undefined);
    const limited = limitRate(found);
    if (limited !== undefined) return admitLater(c, found, limited);
    enter(c, found);
    return undefined;
  };
};

export const authenticateRequests = (admission: Admission): MiddlewareHandler<Env> =>
  function authenticateRequests(c, next) {
    const waiting = admission(c);
    return waiting === undefined ? next() : waiting.then(next);
  };

/**
 * Both of them around one handler. Hono answers a route of a single handler without a promise, which is what half of
 * a lookup's time goes to otherwise.
 */
export const servedAlone =
  (tracer: Tracer, admission: Admission, answerError: ErrorHandler<Env>, handler: Alone): Alone =>
  (c) => {
    const startedAt = tracer.begin(c);
    const done = (response: Response): Response => {
      tracer.end(c, startedAt, response);
      return response;
    };
    const failed = (thrown: Error) => done(answerError(thrown, c) as Response);
    try {
      const waiting = admission(c);
      const response = waiting === undefined ? handler(c) : waiting.then(() => handler(c));
      return response instanceof Promise ? response.then(done, failed) : done(response);
    } catch (thrown) {
      return failed(thrown as Error);
    }
  };

export type Alone = (c: ApiContext) => Response | Promise<Response>;

const tenantOf = (c: ApiContext, actor: Actor): string => {
  const wanted = c.req.header('assay-tenant');
  if (wanted === undefined || wanted === actor.tenant) return actor.tenant;
  if (!actor.scopes.has('admin'))
    throw new Fault('Forbidden', 'only an admin key may act for another tenant; leave Assay-Tenant out', {
      tenant: wanted,
    });
  if (!TenantName.safeParse(wanted).success)
    throw new Fault(
      'InvalidInput',
      `Assay-Tenant ${JSON.stringify(wanted)} must be 1 to 63 lower-case letters, digits, - or _`,
    );
  return wanted;
};
