import { Readable } from 'node:stream';
import * as z from 'zod';
import { deleteTenant } from '../../../shared/access/delete-tenant.ts';
import { exportTenant, type TenantLine } from '../../../shared/access/export-tenant.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { TenantName } from '../../../shared/model/key.ts';
import { answerBytes } from '../answer.ts';
import { reply, route } from '../route.ts';
import { forgetKey } from './keys.ts';

const tag = 'Tenants';
const TenantParam = z.object({ tenant: TenantName });
/** A function must answer within two minutes; a repeated request continues the deletion. */
const DELETION_MS = 45_000;

const DeletionBody = z
  .object({
    tenant: z.string(),
    keys_revoked: z.int(),
    items_removed: z.int(),
    blobs_removed: z.int(),
    kept: z.object({ items: z.int(), why: z.string() }),
    complete: z.boolean().meta({ description: 'False when time ran out: repeat the request to continue.' }),
  })
  .meta({ id: 'TenantDeletion' });

const getExport = route({
  method: 'get',
  path: '/v1/tenants/:tenant/export',
  scope: 'admin',
  summary: 'Export everything stored of a tenant, without secrets, as JSON Lines',
  tag,
  params: TenantParam,
  query: z.object({ pictures: z.enum(['true', 'false']).optional() }),
  audit: 'tenant-exported',
  answers: { 200: { description: 'One item or blob per line', type: 'application/jsonl' } },
  async handle({ api, actor, params: { tenant }, query, context }) {
    const lines = exportTenant(api, actor, tenant, { withBytes: query.pictures === 'true' });
    return answerBytes(
      context,
      Readable.toWeb(Readable.from(asText(lines))) as ReadableStream<Uint8Array>,
      'application/jsonl',
    );
  },
});

async function* asText(lines: AsyncIterable<TenantLine>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(`${JSON.stringify(line)}\n`);
}

const removeTenant = route({
  method: 'delete',
  path: '/v1/tenants/:tenant',
  scope: 'admin',
  summary: 'Remove a tenant: its keys, tools, records, pictures and results',
  tag,
  params: TenantParam,
  query: z.object({
    confirm: z
      .string()
      .optional()
      .meta({ description: 'The name of the tenant again, because deletion cannot be undone.' }),
  }),
  audit: 'tenant-deleted',
  answers: { 200: { description: 'What was removed and what is kept', schema: DeletionBody } },
  faults: ['InvalidInput'],
  async handle({ api, actor, params: { tenant }, query: { confirm } }) {
    if (confirm !== tenant)
      throw new Fault('InvalidInput', `this removes all of ${tenant} for good; repeat its name as ?confirm=${tenant}`, {
        field: 'confirm',
      });
    await api.recorder.flush();
    const context = { ...api, revoked: (id: string) => forgetKey(api, id) };
    return reply(200, await deleteTenant(context, actor, tenant, { untilMs: api.clock.now() + DELETION_MS }));
  },
});

/** Export and deletion of a tenant's data. */
export const tenantDataRoutes = [getExport, removeTenant] as const;
