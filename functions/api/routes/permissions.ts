import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { readAudit } from '../../../shared/execute/audit.ts';
import { decideConfirmation, listConfirmations } from '../../../shared/execute/confirmations.ts';
import { grantTool, listGrants, removeGrant } from '../../../shared/execute/grants.ts';
import { parseBy, readBody } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';
import { nextPage, pageOf, readPage } from '../page.ts';
import { PageQuery } from '../schemas.ts';

const Decision = z
  .union([
    z.strictObject({ token: z.string().min(1).max(512), approve: z.boolean() }),
    z.strictObject({ id: z.string().min(1).max(64), approve: z.boolean() }),
  ])
  .meta({ id: 'Decision', description: 'The confirmation by its token, or by its id as the list has it.' });

const ConfirmationBody = z
  .object({
    id: z.string(),
    state: z.enum(['pending', 'approved', 'refused', 'used']),
    key: z.string(),
    tool: z.string(),
    version: z.string(),
    digest: z.string(),
    arguments_sha256: z.string(),
    arguments: z.unknown(),
    created_at: z.string(),
    expires_at: z.string(),
    decided_by: z.string().optional(),
  })
  .meta({ id: 'Confirmation' });

const NewGrant = z
  .strictObject({ expires_at: z.iso.datetime({ offset: true }), version: z.string().max(256).optional() })
  .meta({ id: 'NewGrant' });

const GrantBody = z
  .object({
    key_id: z.string(),
    tool: z.string(),
    version: z.string(),
    digest: z.string(),
    expires_at: z.string(),
    granted_by: z.string(),
    granted_at: z.string(),
  })
  .meta({ id: 'Grant' });

const GrantParams = z.object({ key_id: z.string(), name: z.string() });

const AuditQuery = z.object({
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/, 'must be a month such as 2026-11')
    .optional(),
});

/** Consent to confirm-tools, grants of dangerous ones, and the audit of both. */
export const permissionRoutes: Routes = (app, assay) => {
  describePermissions(app);

  app.post('/v1/confirmations', async (c) => {
    requireScope(c.var.actor, 'approve');
    const { approve, ...which } = await readBody(c, Decision);
    return c.json(await decideConfirmation(assay, c.var.actor, which, approve));
  });

  app.get('/v1/confirmations', async (c) => {
    requireScope(c.var.actor, 'approve');
    const { confirmations, next } = await listConfirmations(assay.table, c.var.tenant, readPage(c, 'confirmations'));
    return c.json({ confirmations, ...nextPage(next, 'confirmations') });
  });

  app.get('/v1/grants', async (c) => {
    requireScope(c.var.actor, 'admin');
    const { grants, next } = await listGrants(assay.table, c.var.tenant, readPage(c, 'grants'));
    return c.json({ grants, ...nextPage(next, 'grants') });
  });

  app.put('/v1/grants/:key_id/:name', async (c) => {
    requireScope(c.var.actor, 'admin');
    const asked = await readBody(c, NewGrant);
    return c.json(await grantTool(assay, c.var.actor, c.req.param('key_id'), c.req.param('name'), asked));
  });

  app.delete('/v1/grants/:key_id/:name', async (c) => {
    requireScope(c.var.actor, 'admin');
    await removeGrant(assay, c.var.actor, c.req.param('key_id'), c.req.param('name'));
    return c.body(null, 204);
  });

  app.get('/v1/audit', async (c) => {
    requireScope(c.var.actor, 'admin');
    const { month = new Date(assay.clock.now()).toISOString().slice(0, 7) } = parseBy(
      AuditQuery,
      c.req.query(),
      'the query',
    );
    const list = `audit ${month}`;
    const { entries, next } = await readAudit(assay.table, c.var.tenant, month, readPage(c, list));
    return c.json({ month, entries, ...nextPage(next, list) });
  });
};

const describePermissions = (app: Parameters<Routes>[0]): void => {
  const tag = 'Permission';
  describe(app, {
    method: 'post',
    path: '/v1/confirmations',
    summary: 'Consent to a call of a confirm-tool, or refuse it; needs the scope approve',
    tag,
    body: Decision,
    answers: { 200: { description: 'The decision', schema: ConfirmationBody } },
    faults: ['InvalidInput', 'NotFound', 'Conflict'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/confirmations',
    summary: 'Confirmations that were asked for in the last ten minutes, oldest first',
    tag,
    query: PageQuery,
    answers: { 200: { description: 'A page of them', schema: pageOf('confirmations', ConfirmationBody) } },
  });
  describe(app, {
    method: 'get',
    path: '/v1/grants',
    summary: 'Which keys may run which dangerous tools',
    tag,
    query: PageQuery,
    answers: { 200: { description: 'A page of grants', schema: pageOf('grants', GrantBody) } },
  });
  describe(app, {
    method: 'put',
    path: '/v1/grants/{key_id}/{name}',
    summary: 'Grant a dangerous tool, as it is defined now, to one key',
    tag,
    params: GrantParams,
    body: NewGrant,
    answers: { 200: { description: 'The grant', schema: GrantBody } },
    faults: ['InvalidInput', 'NotFound'],
  });
  describe(app, {
    method: 'delete',
    path: '/v1/grants/{key_id}/{name}',
    summary: 'Take a grant back',
    tag,
    params: GrantParams,
    answers: { 204: { description: 'Taken back, or never there' } },
  });
  describe(app, {
    method: 'get',
    path: '/v1/audit',
    summary: 'Who consented to, granted or was refused what, newest first',
    tag,
    query: PageQuery.extend(AuditQuery.shape),
    answers: { 200: { description: 'A page of entries', schema: pageOf('entries', z.looseObject({})) } },
  });
};
