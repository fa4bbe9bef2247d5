import { presentedKey } from '../../shared/access/admit.ts';
import type { Assay } from '../../shared/assay.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { type Actor, TenantName } from '../../shared/model/key.ts';
import type { ApiContext } from './env.ts';

/** Finds out who is calling, within its rate, and for which tenant; no promise where nothing needs to be waited for. */
export type Admission = (c: ApiContext) => undefined | Promise<void>;

export const createAdmission = ({ authenticate, limitRate }: Pick<Assay, 'authenticate' | 'limitRate'>): Admission => {
  const enter = (c: ApiContext, actor: Actor): void => {
    const tenant = chosenTenant(c, actor);
    c.set('actor', tenant === actor.tenant ? actor : { ...actor, tenant });
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

/** The key's own tenant, or the one that an admin names. */
const chosenTenant = (c: ApiContext, actor: Actor): string => {
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
