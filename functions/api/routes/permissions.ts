import * as z from 'zod';
import { readAudit } from '../../../shared/execute/audit.ts';
import { Confirmation } from '../../../shared/execute/confirmation-item.ts';
import { decideConfirmation, listConfirmations, revealConfirmation } from '../../../shared/execute/confirmations.ts';
import { grantTool, listGrants, removeGrant } from '../../../shared/execute/grants.ts';
import { jsonBody } from '../body.ts';
import { nextPage, pageAfter, pageSchema } from '../page.ts';
import { done, reply, route } from '../route.ts';
import { PageParams } from '../schemas.ts';

const tag = 'Permission';

const Decision = z
  .union([
    z.strictObject({ token: z.string().min(1).max(512), approve: z.boolean() }),
    z.strictObject({ id: z.string().min(1).max(64), approve: z.boolean() }),
  ])
  .meta({ id: 'Consent', description: 'The confirmation, by its token or its id.' });

const ConfirmationBody = Confirmation.meta({ id: 'Confirmation' });

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

const AuditQuery = PageParams.extend({
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/, 'must be a month such as 2026-11')
    .optional(),
});

const decideConsent = route({
  method: 'post',
  path: '/v1/confirmations',
  scope: 'approve',
  summary: 'Consent to a call of a confirm-tool, or refuse it',
  tag,
  body: jsonBody(Decision),
  answers: { 200: { description: 'The decision', schema: ConfirmationBody } },
  faults: ['InvalidInput', 'NotFound', 'Conflict'],
  async handle({ api, actor, body: { approve, ...which } }) {
    return reply(200, await decideConfirmation(api, actor, which, approve));
  },
});

const getConfirmations = route({
  method: 'get',
  path: '/v1/confirmations',
  scope: 'approve',
  summary: 'Confirmations requested in the last ten minutes, oldest first',
  tag,
  query: PageParams,
  answers: { 200: { description: 'A page of them', schema: pageSchema('confirmations', ConfirmationBody) } },
  async handle({ api, actor, query }) {
    const page = pageAfter(query, 'confirmations');
    const { confirmations, next } = await listConfirmations(api, actor, page);
    return reply(200, { confirmations, ...nextPage(next, 'confirmations') });
  },
});

const getConfirmation = route({
  method: 'get',
  path: '/v1/confirmations/:id',
  scope: 'approve',
  summary: 'A confirmation with its original arguments; reading them is audited',
  tag,
  params: z.object({ id: z.string().max(64) }),
  answers: { 200: { description: 'The confirmation', schema: ConfirmationBody } },
  faults: ['NotFound'],
  handle: async ({ api, actor, params: { id } }) => reply(200, await revealConfirmation(api, actor, id)),
});

const getGrants = route({
  method: 'get',
  path: '/v1/grants',
  scope: 'tenant_admin',
  summary: 'Which keys may run which dangerous tools',
  tag,
  query: PageParams,
  answers: { 200: { description: 'A page of grants', schema: pageSchema('grants', GrantBody) } },
  async handle({ api, actor, query }) {
    const { grants, next } = await listGrants(api, actor, pageAfter(query, 'grants'));
    return reply(200, { grants, ...nextPage(next, 'grants') });
  },
});

const putGrant = route({
  method: 'put',
  path: '/v1/grants/:key_id/:name',
  scope: 'tenant_admin',
  summary: 'Grant a dangerous tool, as it is defined now, to one key',
  tag,
  params: GrantParams,
  body: jsonBody(NewGrant),
  answers: { 200: { description: 'The grant', schema: GrantBody } },
  faults: ['InvalidInput', 'NotFound'],
  handle: async ({ api, actor, params: { key_id, name }, body }) =>
    reply(200, await grantTool(api, actor, key_id, name, body)),
});

const deleteGrant = route({
  method: 'delete',
  path: '/v1/grants/:key_id/:name',
  scope: 'tenant_admin',
  summary: 'Revoke a grant',
  tag,
  params: GrantParams,
  answers: { 204: { description: 'Revoked, or did not exist' } },
  async handle({ api, actor, params: { key_id, name } }) {
    await removeGrant(api, actor, key_id, name);
    return done;
  },
});

const getAudit = route({
  method: 'get',
  path: '/v1/audit',
  scope: 'tenant_admin',
  summary: 'Who consented to, granted or was refused what, newest first',
  tag,
  query: AuditQuery,
  answers: {
    200: {
      description: 'A page of entries',
      schema: pageSchema('entries', z.looseObject({})).extend({ month: z.string() }),
    },
  },
  async handle({ api, actor, query }) {
    const month = query.month ?? new Date(api.clock.now()).toISOString().slice(0, 7);
    const list = `audit ${month}`;
    const { entries, next } = await readAudit(api, actor, month, pageAfter(query, list));
    return reply(200, { month, entries, ...nextPage(next, list) });
  },
});

/** Consent to confirm tools, grants of dangerous ones, and the audit log of both. */
export const permissionRoutes = [
  decideConsent,
  getConfirmations,
  getConfirmation,
  getGrants,
  putGrant,
  deleteGrant,
  getAudit,
] as const;
