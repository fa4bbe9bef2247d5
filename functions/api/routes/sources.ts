import * as z from 'zod';
import { SourceChange, SourceKind, SourcePolicy, SourceProblem, SourceRequest } from '../../../shared/model/source.ts';
import { Permission } from '../../../shared/model/tool.ts';
import { approveTools } from '../../../shared/sources/approve.ts';
import {
  addSource,
  changeSource,
  getSource,
  listSources,
  refreshNow,
  removeSource,
} from '../../../shared/sources/manage.ts';
import { jsonBody } from '../body.ts';
import { done, reply, route } from '../route.ts';

const tag = 'Sources';

const DriftBody = z
  .object({
    tool: z.string(),
    from: z.string().nullable().meta({ description: 'The approved version; null for a new tool.' }),
    to: z.string().nullable().meta({ description: 'The source’s version; null for a tool that is gone.' }),
    change: z.enum(['major', 'minor', 'patch', 'added', 'removed']),
  })
  .meta({ id: 'Drift' });

const SourceBody = z
  .object({
    name: z.string(),
    kind: SourceKind,
    url: z.string().optional(),
    alias: z.string().optional(),
    prefix: z.string().optional(),
    allowed: z.array(z.string()).optional(),
    permission: Permission.optional(),
    trust_read_only: z.boolean().optional(),
    price_micros: z.int().optional(),
    policy: SourcePolicy,
    refresh_minutes: z.int().optional(),
    origin: z.enum(['request', 'config']),
    status: z.enum(['ok', 'failing', 'new']),
    tools: z.int(),
    drift: z.array(DriftBody),
    error: z.string().optional(),
    problems: z.array(SourceProblem).optional(),
    created_at: z.string(),
    refreshed_at: z.string().optional(),
    due_at: z.string(),
    refreshing: z.boolean(),
    accounts: z
      .object({ listed_by: z.string() })
      .optional()
      .meta({ description: 'Each caller needs its own account; tools are listed with the account of this key.' }),
    has_secret: z
      .boolean()
      .optional()
      .meta({ description: 'Whether credentials are stored; they are never returned.' }),
  })
  .meta({ id: 'Source' });

const ApprovalBody = z
  .strictObject({ tools: z.array(z.string().min(1).max(300)).min(1).max(10_000).optional() })
  .meta({ id: 'Approval', description: 'Tools as `name` or `name@version`; all waiting versions if absent.' });

const SourceParam = z.object({ name: z.string().meta({ description: 'The source, by its name.' }) });

const postSource = route({
  method: 'post',
  path: '/v1/sources',
  audit: 'source-added',
  scope: 'tenant_admin',
  summary: 'Add a source: its tools become tools here',
  tag,
  body: jsonBody(SourceRequest.meta({ id: 'NewSource' })),
  answers: { 201: { description: 'Its state after the first refresh', schema: SourceBody } },
  faults: ['InvalidInput', 'Conflict', 'Unavailable'],
  handle: async ({ api, actor, body }) => reply(201, await addSource(api, actor, body)),
});

const getSources = route({
  method: 'get',
  path: '/v1/sources',
  scope: 'tenant_admin',
  summary: 'The tenant’s sources with their state',
  tag,
  answers: { 200: { description: 'All of them', schema: z.object({ sources: z.array(SourceBody) }) } },
  handle: async ({ api, actor }) => reply(200, { sources: await listSources(api, actor) }),
});

const getOneSource = route({
  method: 'get',
  path: '/v1/sources/:name',
  scope: 'tenant_admin',
  summary: 'One source with its state, its drift and its problems',
  tag,
  params: SourceParam,
  answers: { 200: { description: 'Its state', schema: SourceBody } },
  faults: ['NotFound'],
  handle: async ({ api, actor, params }) => reply(200, await getSource(api, actor, params.name)),
});

const patchSource = route({
  method: 'patch',
  path: '/v1/sources/:name',
  audit: 'source-changed',
  scope: 'tenant_admin',
  summary: 'Change a source’s settings; null resets one to its default',
  tag,
  params: SourceParam,
  body: jsonBody(SourceChange.meta({ id: 'SourceChange' })),
  answers: { 200: { description: 'Its state after a refresh', schema: SourceBody } },
  faults: ['InvalidInput', 'NotFound'],
  handle: async ({ api, actor, params, body }) => reply(200, await changeSource(api, actor, params.name, body)),
});

const deleteSource = route({
  method: 'delete',
  path: '/v1/sources/:name',
  audit: 'source-removed',
  scope: 'tenant_admin',
  summary: 'Remove a source and its tools; the records of its calls stay',
  tag,
  params: SourceParam,
  answers: { 204: { description: 'Removed, or did not exist' } },
  async handle({ api, actor, params }) {
    await removeSource(api, actor, params.name);
    return done;
  },
});

const refresh = route({
  method: 'post',
  path: '/v1/sources/:name/refresh',
  scope: 'tenant_admin',
  summary: 'Refresh a source now',
  tag,
  params: SourceParam,
  answers: { 200: { description: 'Its state', schema: SourceBody } },
  faults: ['NotFound', 'Conflict'],
  handle: async ({ api, actor, params }) => reply(200, await refreshNow(api, actor, params.name)),
});

const approve = route({
  method: 'post',
  path: '/v1/sources/:name/approve',
  audit: 'source-approved',
  scope: 'tenant_admin',
  summary: 'Approve what a source has now, so that it becomes the default',
  tag,
  params: SourceParam,
  body: jsonBody(ApprovalBody),
  answers: {
    200: {
      description: 'The approved versions',
      schema: z.object({ approved: z.array(z.object({ tool: z.string(), version: z.string() })) }),
    },
  },
  faults: ['InvalidInput', 'NotFound', 'Conflict'],
  handle: async ({ api, actor, params, body }) =>
    reply(200, { approved: await approveTools(api, actor, params.name, body.tools) }),
});

/** Sources of tools that run elsewhere. */
export const sourceRoutes = [
  postSource,
  getSources,
  getOneSource,
  patchSource,
  deleteSource,
  refresh,
  approve,
] as const;
