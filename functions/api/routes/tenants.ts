import * as z from 'zod';
import { listKeys } from '../../../shared/access/api-keys.ts';
import { listTenants } from '../../../shared/access/tenants.ts';
import { monthOf } from '../../../shared/execute/billing/month.ts';
import { usageFor } from '../../../shared/execute/billing/usage-for.ts';
import type { Actor } from '../../../shared/model/key.ts';
import type { Api } from '../env.ts';
import { nextPage, pageAfter, pageSchema } from '../page.ts';
import { reply, route } from '../route.ts';

/** Each tenant costs a few reads, so pages are small. */
const MOST = 50;

const TenantBody = z
  .object({
    tenant: z.string(),
    keys: z.int().meta({ description: 'Keys that are neither revoked nor expired; at most 1000 are counted.' }),
    calls: z.int(),
    micros: z.int(),
  })
  .meta({ id: 'Tenant' });

const getTenants = route({
  method: 'get',
  path: '/v1/tenants',
  scope: 'admin',
  summary: 'Every tenant that was given a key, with its keys and its usage of this month',
  tag: 'Keys',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(MOST).default(MOST),
    cursor: z.string().max(512).optional(),
  }),
  answers: { 200: { description: 'A page of tenants', schema: pageSchema('tenants', TenantBody) } },
  async handle({ api, actor, query }) {
    const { tenants, next } = await listTenants(api, actor, pageAfter(query, 'tenants'));
    const told = await Promise.all(tenants.map((tenant) => tell(api, { ...actor, tenant })));
    return reply(200, { tenants: told, ...nextPage(next, 'tenants') });
  },
});

const tell = async (api: Api, actor: Actor): Promise<z.infer<typeof TenantBody>> => {
  const now = api.clock.now();
  const [{ keys }, { calls, micros }] = await Promise.all([
    listKeys(api, actor, { limit: 1000 }),
    usageFor(api, actor, monthOf(now)),
  ]);
  const good = keys.filter(
    ({ revoked_at: revoked, expires_at: expires }) =>
      revoked === undefined && (expires === undefined || Date.parse(expires) > now),
  );
  return { tenant: actor.tenant, keys: good.length, calls, micros };
};

export const tenantRoutes = [getTenants] as const;
