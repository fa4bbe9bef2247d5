import * as z from 'zod';
import { listExecutions, readExecution } from '../../../shared/execute/executions.ts';
import { readTrace } from '../../../shared/execute/read-trace.ts';
import { SUMMARY_SPANS, type SummarySpan, summariseCalls } from '../../../shared/execute/summarise-calls.ts';
import { statsFor } from '../../../shared/insight/stats-for.ts';
import { CALL_STATUSES } from '../../../shared/model/call.ts';
import { streamSummary } from '../live-summary.ts';
import { nextPage, pageAfter, pageSchema } from '../page.ts';
import { reply, route } from '../route.ts';
import { IdParam, NameParam, PageParams } from '../schemas.ts';

const tag = 'Execution';
const Time = z.iso.datetime({ offset: true });

const Filter = z.object({
  tool: z.string().max(128).optional(),
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
    output: z.unknown().optional(),
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
    trace_id: z.string().optional(),
  })
  .meta({ id: 'Execution' });

const SpanBody = z
  .object({
    span_id: z.string(),
    parent_id: z.string().optional(),
    name: z.string(),
    kind: z.enum(['internal', 'server', 'client', 'consumer']),
    start_ms: z.number().meta({ description: 'Since the first span of the trace began.' }),
    duration_ms: z.number(),
    error: z.string().optional().meta({ description: 'The code of its error.' }),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    get children() {
      return z.array(SpanBody);
    },
  })
  .meta({ id: 'Span' });

const TraceBody = z
  .object({
    call_id: z.string(),
    trace_id: z.string().optional(),
    kept: z.boolean().meta({
      description: 'Whether its spans are stored here; otherwise look up `trace_id` where traces are sent.',
    }),
    started_at: z.string().optional(),
    duration_ms: z.number().optional(),
    span_id: z.string().optional().meta({ description: 'The span of the call itself.' }),
    spans: z.array(SpanBody),
  })
  .meta({ id: 'Trace' });

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

const totals = {
  calls: z.int(),
  failed: z.int(),
  refused: z.int(),
  micros: z.int(),
  p50_ms: nullable,
  p95_ms: nullable,
};
const NamedTotals = z.object({ name: z.string(), ...totals }).meta({ id: 'NamedTotals' });
const SummaryBody = z
  .object({
    since: z.string(),
    until: z.string(),
    complete: z.boolean().meta({ description: 'False when only the latest calls are summed.' }),
    ...totals,
    steps: z.array(z.object({ at: z.string(), ...totals })),
    tools: z.array(NamedTotals),
    keys: z.array(NamedTotals),
  })
  .meta({ id: 'CallSummary' });

const spans = Object.keys(SUMMARY_SPANS) as [SummarySpan, ...SummarySpan[]];

const getSummary = route({
  method: 'get',
  path: '/v1/summary',
  scope: 'read',
  summary:
    'Calls, errors, times and spend of the last hour, day or month: over time, by tool and by key; as server-sent events when they are asked for',
  tag,
  query: z.object({ span: z.enum(spans).default('day') }),
  answers: { 200: { description: 'The summary', schema: SummaryBody } },
  faults: ['InvalidInput'],
  async handle({ api, actor, query: { span }, context }) {
    if (context.req.header('accept')?.includes('text/event-stream')) return streamSummary(context, api, actor, span);
    await api.recorder.flush();
    return reply(200, await summariseCalls(api, actor, span));
  },
});

const getExecutions = route({
  method: 'get',
  path: '/v1/executions',
  scope: 'read',
  summary: 'Records of calls, newest first, kept for 30 days',
  tag,
  query: PageParams.extend(Filter.shape),
  answers: { 200: { description: 'A page of records', schema: pageSchema('executions', ExecutionBody) } },
  faults: ['InvalidInput'],
  async handle({ api, actor, query: { limit, cursor, ...filter } }) {
    const list = `executions ${JSON.stringify(filter)}`;
    await api.recorder.flush();
    const { executions, next } = await listExecutions(api, actor, {
      ...filter,
      ...pageAfter({ limit, cursor }, list),
      since: parseTime(filter.since),
      until: parseTime(filter.until),
    });
    return reply(200, { executions, ...nextPage(next, list) });
  },
});

const getExecution = route({
  method: 'get',
  path: '/v1/executions/:id',
  scope: 'read',
  summary: 'The record of one call',
  tag,
  params: IdParam,
  answers: { 200: { description: 'The record', schema: ExecutionBody } },
  faults: ['NotFound'],
  async handle({ api, actor, params: { id } }) {
    await api.recorder.flush();
    return reply(200, await readExecution(api, actor, id));
  },
});

const getTrace = route({
  method: 'get',
  path: '/v1/calls/:id/trace',
  scope: 'read',
  summary: 'The spans of a call’s trace as a tree, kept for three days',
  tag,
  params: IdParam,
  answers: { 200: { description: 'The trace', schema: TraceBody } },
  faults: ['NotFound'],
  async handle({ api, actor, params: { id } }) {
    await Promise.all([api.recorder.flush(), api.tracer.flush()]);
    return reply(200, await readTrace(api, actor, id));
  },
});

const getStats = route({
  method: 'get',
  path: '/v1/tools/:name/stats',
  scope: 'read',
  summary: 'Statistics of a version’s calls',
  tag,
  params: NameParam,
  query: z.object({
    version: z.string().optional().meta({ description: 'A version, or `all`; the default version if absent.' }),
  }),
  answers: { 200: { description: 'The totals', schema: StatsBody } },
  faults: ['NotFound'],
  async handle({ api, actor, params: { name }, query }) {
    await api.recorder.flush();
    return reply(200, await statsFor(api, actor, name, query.version));
  },
});

/** Call records and their summaries. */
export const executionRoutes = [getSummary, getExecutions, getExecution, getTrace, getStats] as const;

const parseTime = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
