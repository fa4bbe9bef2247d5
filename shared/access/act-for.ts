import { Fault } from '../kernel/errors.ts';
import { type Actor, TenantName } from '../model/key.ts';

/** The actor for the requested tenant: its own, or another when it is an admin. */
export const actFor = (actor: Actor, tenant: string | undefined): Actor => {
  if (tenant === undefined || tenant === actor.tenant) return actor;
  if (!actor.scopes.has('admin'))
    throw new Fault('Forbidden', 'only an admin key may act for another tenant; leave Assay-Tenant out', { tenant });
  if (!TenantName.safeParse(tenant).success)
    throw new Fault(
      'InvalidInput',
      `Assay-Tenant ${JSON.stringify(tenant)} must be 1 to 63 lower-case letters, digits, - or _`,
    );
  return { ...actor, tenant };
};
