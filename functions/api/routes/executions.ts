import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { listExecutions, readExecution } from '../../../shared/execute/executions.ts';
import { readAllStats, readStats } from '../../../shared/insight/read-stats.ts';
import { emptyStats } from '../../../shared/insight/stats.ts';
import { mergeStats, viewStats } from '../../../shared/insight/stats-view.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { CALL_STATUSES } from '../../../shared/model/call.ts';
import { unknownTool } from '../../../shared/registry/change-tool.ts';
import { parseBy } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';
import { nextPage, pageOf, readPage } from '../page.ts';
import { NameParam, PageQuery } from '../schemas.ts';

const Time = z.iso.datetime({ offset: true });

const Filter = z.object({
  tool: z.string().max(64).optional(),
  status: z.enum(CALL_STATUSES).optional(),
  key: z.string().max(64).optional(),
  since: Time.optional().meta({ description: 'At or after this time.' }),
  until: Time.optional().meta({ description: 'Before this time.' }),
});

const ExecutionBody = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    version: z.string(),
    arguments: z.unknown(),
    status: z.enum(CALL_STATUSES),
    output: z.unknown(),
    error: z.object({ type: z.string(), message: z.string(), stack: z.string().optional() }).optional(),
    duration_ms: z.number(),
    cpu_ms: z.number(),
    cpu_percent: z.number(),
    memory_delta_bytes: z.number(),
    memory_peak_bytes: z.number(),
    cached: z.boolean(),
    attempts: z.int(),
    charged_micros: z.int(),
    key: z.string(),
    at: z.string(),
    request_id: z.string().optional(),
  })
  .meta({ id: 'Execution' });

const nullable = z.number().nullable();
const StatsBody = z
  .object({
    tool: z.string(),
    version: z.string(),
    calls: z.int(),
    successes: z.int(),
    failures: z.int(),
    failures_by_type: z.record(z.string(), z.int()),
    refused: z.int(),
    cached: z.int(),
    success_rate: nullable,
    total_ms: z.number(),
    mean_ms: nullable,
    p50_ms: nullable,
    p95_ms: nullable,
    p99_ms: nullable,
    last_at: z.string().optional(),
  })
  .meta({ id: 'Stats' });

/** What was called, and what it adds up to. */
export const executionRoutes: Routes = (app, assay) => {
  describeExecutions(app);

  app.get('/v1/executions', async (c) => {
    requireScope(c.var.actor, 'read');
    const filter = parseBy(Filter, c.req.query(), 'the query');
    const list = `executions ${JSON.stringify(filter)}`;
    await assay.recorder.flush();
    const { executions, next } = await listExecutions(assay, c.var.tenant, {
      ...filter,
      ...readPage(c, list),
      since: timeOf(filter.since),
      until: timeOf(filter.until),
      allowed: c.var.actor.tools,
    });
    return c.json({ executions, ...nextPage(next, list) });
  });

  app.get('/v1/executions/:id', async (c) => {
    requireScope(c.var.actor, 'read');
    const id = c.req.param('id');
    await assay.recorder.flush();
    const record = await readExecution(assay.table, c.var.tenant, id);
    if (record && (c.var.actor.tools?.has(record.tool) ?? true)) return c.json(record);
    throw new Fault('NotFound', `no call with the id ${JSON.stringify(id)}; records are kept for 30 days`, { id });
  });

  app.get('/v1/tools/:name/stats', async (c) => {
    requireScope(c.var.actor, 'read');
    const { actor, tenant } = c.var;
    const name = c.req.param('name');
    const { catalog } = await assay.catalogs.of(tenant);
    await assay.recorder.flush();
    const wanted = c.req.query('version') ?? catalog.get(name)?.record.version;
    if (wanted === undefined || (actor.tools && !actor.tools.has(name)))
      throw unknownTool(name, actor.tools ?? catalog.names());
    if (wanted === 'all') {
      const all = await readAllStats(assay.table, tenant, name);
      return c.json(viewStats(all.reduce(mergeStats, emptyStats(name, 'all'))));
    }
    return c.json(viewStats((await readStats(assay.table, tenant, name, wanted)) ?? emptyStats(name, wanted)));
  });
};

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

const describeExecutions = (app: Parameters<Routes>[0]): void => {
  const tag = 'Execution';
  describe(app, {
    method: 'get',
    path: '/v1/executions',
    summary: 'Records of calls, newest first, kept for 30 days',
    tag,
    query: PageQuery.extend(Filter.shape),
    answers: { 200: { description: 'A page of records', schema: pageOf('executions', ExecutionBody) } },
    faults: ['InvalidInput'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/executions/{id}',
    summary: 'The record of one call',
    tag,
    params: z.object({ id: z.string() }),
    answers: { 200: { description: 'The record', schema: ExecutionBody } },
    faults: ['NotFound'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/tools/{name}/stats',
    summary: 'What the calls of a version add up to',
    tag,
    params: NameParam,
    query: z.object({
      version: z.string().optional().meta({ description: 'Another version than the default, or `all` together.' }),
    }),
    answers: { 200: { description: 'The statistics', schema: StatsBody } },
    faults: ['NotFound'],
  });
};
