import * as z from 'zod';
import { operate } from '../../../shared/execute/billing/operation.ts';
import { operationPrice } from '../../../shared/execute/billing/prices.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { runActorOf } from '../../../shared/plan/run-node.ts';
import type { Runs } from '../../../shared/plan/runs.ts';
import { jsonBody } from '../body.ts';
import type { Api } from '../env.ts';
import { reply, route } from '../route.ts';
import { IdParam } from '../schemas.ts';
import { RunBody } from './plan-schemas.ts';

const tag = 'Plans';
const Start = z.strictObject({ input: z.unknown().optional() }).meta({ id: 'StartRun' });
const Consent = z.strictObject({ approve: z.boolean() }).meta({ id: 'RunConsent' });
const state = { description: 'How the run stands', schema: RunBody } as const;

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
    const runs = requireRuns(api);
    const request = {
      tenant: actor.tenant,
      plan_id: params.id,
      input: body.input,
      actor: runActorOf(actor),
      traceparent: context.req.header('traceparent'),
    };
    const priceMicros = api.prices ? operationPrice(api.prices, 'run') : 0;
    const { value } = await operate(api, actor, { name: 'run', priceMicros, requestId }, async () => ({
      value: await runs.start(request),
      cached: false,
    }));
    return reply(201, value);
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
    const run = await requireRuns(api).view(actor.tenant, id);
    if (run) return reply(200, run);
    throw new Fault('NotFound', `there is no run ${JSON.stringify(id)}`, { run_id: id });
  },
});

const confirmNode = route({
  method: 'post',
  path: '/v1/runs/:id/nodes/:node/confirm',
  scope: 'approve',
  summary: 'Let a waiting node run, or deny it',
  tag,
  params: IdParam.extend({ node: z.string() }),
  body: jsonBody(Consent),
  answers: { 200: state },
  faults: ['NotFound', 'Conflict'],
  async handle({ api, actor, params: { id, node }, body: { approve } }) {
    return reply(200, await requireRuns(api).confirm(actor.tenant, id, node, { approve, approver: actor.keyId }));
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
  handle: async ({ api, actor, params }) => reply(200, await requireRuns(api).cancel(actor.tenant, params.id)),
});

/** Runs of plans: started, watched, consented to, cancelled. */
export const runRoutes = [startRun, getRun, confirmNode, cancelRun] as const;

const requireRuns = ({ runs }: Api): Runs => {
  if (runs) return runs;
  throw new Fault('Unavailable', 'plans cannot run in this process');
};
