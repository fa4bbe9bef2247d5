import * as z from 'zod';
import { listRuns as findRuns, RUN_FILTERS } from '../../../shared/plan/list-runs.ts';
import {
  confirmNode as answerNode,
  startRun as beginRun,
  getRun as findRun,
  quoteRun,
  cancelRun as stopRun,
} from '../../../shared/plan/run-verbs.ts';
import { answerJson } from '../answer.ts';
import { jsonBody } from '../body.ts';
import { nextPage, pageAfter, pageSchema } from '../page.ts';
import { captureQuota } from '../quota-headers.ts';
import { stateOf } from '../request-state.ts';
import { reply, route } from '../route.ts';
import { IdParam, PageParams } from '../schemas.ts';
import { SpendLimits } from '../spend-schemas.ts';
import { RunBody } from './plan-schemas.ts';

const tag = 'Plans';
const Start = z.strictObject({ input: z.unknown().optional(), ...SpendLimits }).meta({ id: 'StartRun' });
const Consent = z.strictObject({ approve: z.boolean() }).meta({ id: 'RunConsent' });
const state = { description: 'The state of the run', schema: RunBody } as const;

const startRun = route({
  method: 'post',
  path: '/v1/plans/:id/runs',
  scope: 'invoke',
  summary: 'Run a plan',
  tag,
  params: IdParam,
  body: jsonBody(Start),
  answers: { 201: state },
  faults: ['InvalidInput', 'PaymentRequired', 'NotFound'],
  async handle({ api, actor, requestId, params, body, context }) {
    const asked = { plan_id: params.id, input: body.input };
    const { max_micros: maxMicros } = body;
    if (body.dry_run) return answerJson(context, await quoteRun(api, actor, params.id, maxMicros));
    const options = { requestId, metered: captureQuota(context), once: stateOf(context).once, maxMicros };
    return reply(201, await beginRun(api, actor, asked, undefined, options));
  },
});

const getRuns = route({
  method: 'get',
  path: '/v1/runs',
  scope: 'read',
  summary: 'Runs that were started in the last 30 days, newest first',
  tag,
  query: PageParams.extend({
    status: z.enum(RUN_FILTERS).optional().meta({ description: '`waiting`: a node waits for a person.' }),
  }),
  answers: { 200: { description: 'A page of runs', schema: pageSchema('runs', RunBody) } },
  async handle({ api, actor, query: { limit, cursor, status } }) {
    const list = `runs ${status ?? ''}`;
    const { runs, next } = await findRuns(api, actor, { status, ...pageAfter({ limit, cursor }, list) });
    return reply(200, { runs, ...nextPage(next, list) });
  },
});

const getRun = route({
  method: 'get',
  path: '/v1/runs/:id',
  scope: 'read',
  summary: 'A run with its nodes and attempts',
  tag,
  params: IdParam,
  answers: { 200: state },
  faults: ['NotFound'],
  async handle({ api, actor, params: { id } }) {
    return reply(200, await findRun(api, actor, id));
  },
});

const confirmNode = route({
  method: 'post',
  path: '/v1/runs/:id/nodes/:node/confirm',
  scope: 'approve',
  summary: 'Approve or deny a waiting node',
  tag,
  params: IdParam.extend({ node: z.string() }),
  body: jsonBody(Consent),
  answers: { 200: state },
  faults: ['NotFound', 'Conflict'],
  async handle({ api, actor, params: { id, node }, body: { approve } }) {
    return reply(200, await answerNode(api, actor, { run: id, node, approve }));
  },
});

const cancelRun = route({
  method: 'delete',
  path: '/v1/runs/:id',
  scope: 'invoke',
  summary: 'Cancel a run',
  tag,
  params: IdParam,
  answers: { 200: state },
  faults: ['NotFound'],
  handle: async ({ api, actor, params }) => reply(200, await stopRun(api, actor, params.id)),
});

/** Runs of plans: start, list, watch, confirm and cancel. */
export const runRoutes = [startRun, getRuns, getRun, confirmNode, cancelRun] as const;
