import type { MiddlewareHandler, Next } from 'hono';
import type { Assay } from '../../shared/assay.ts';
import { presentedKey } from '../../shared/billing/admit.ts';
import { Fault } from '../../shared/errors.ts';
import { type Actor, TenantName } from '../../shared/model/key.ts';
import { givenRequestId } from '../../shared/request-id.ts';
import type { ApiContext, Env } from './env.ts';

/** Gives each request an id and one line in the log when it is done. */
export const traceRequests = ({ clock, log }: Assay): MiddlewareHandler<Env> => {
  // One id a process and a count: a new ULID for each request would be a tenth of a lookup's time.
  const process = clock.newId();
  let count = 0;
  return async function traceRequests(c, next) {
    const requestId = givenRequestId(c.req.header('x-request-id')) ?? `${process}-${(++count).toString(36)}`;
    c.set('requestId', requestId);
    const started = clock.now();
    await next();
    // A header set on a finished response makes the server rebuild it: answers bring theirs along.
    if (c.get('identified') !== true) c.header('x-request-id', requestId);
    log.info('request', {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: clock.now() - started,
      request_id: requestId,
      key: c.get('actor')?.keyId,
      tenant: c.get('tenant'),
    });
  };
};

/** Finds out who is calling, and for which tenant. Without a promise where nothing needs to be waited for. */
export const authenticateRequests = ({ authenticate, limitRate }: Assay): MiddlewareHandler<Env> => {
  const enter = (c: ApiContext, actor: Actor): void => {
    const tenant = tenantOf(c, actor);
    c.set('actor', tenant === actor.tenant ? actor : { ...actor, tenant });
    c.set('tenant', tenant);
  };
  return function authenticateRequests(c, next) {
    const authorization = c.req.header('authorization');
    const apiKey = authorization === undefined ? c.req.header('x-api-key') : undefined;
    const found = authenticate(presentedKey(authorization, apiKey));
    const limited = found instanceof Promise ? undefined : limitRate(found);
    if (!(found instanceof Promise) && limited === undefined) {
      enter(c, found);
      return next();
    }
    return admitLater(c, next, found, limited);
  };

  async function admitLater(
    c: ApiContext,
    next: Next,
    found: Actor | Promise<Actor>,
    limited: Promise<void> | undefined,
  ) {
    const actor = await found;
    await (limited ?? limitRate(actor));
    enter(c, actor);
    await next();
  }
};

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
