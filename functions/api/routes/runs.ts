import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { operate } from '../../../shared/execute/billing/operation.ts';
import { operationPrice } from '../../../shared/execute/billing/prices.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { runActorOf } from '../../../shared/plan/run-node.ts';
import type { Runs } from '../../../shared/plan/runs.ts';
import { answerJson } from '../answer.ts';
import { readBody } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';

const Start = z.strictObject({ input: z.unknown().optional() }).meta({ id: 'StartRun' });
const Consent = z.strictObject({ approve: z.boolean() }).meta({ id: 'RunConsent' });
const RunBody = z
  .object({
    run_id: z.string(),
    plan_id: z.string(),
    status: z.enum(['running', 'ok', 'failed', 'cancelled']),
    predicted: z.record(z.string(), z.number()),
    started_at: z.string(),
    ended_at: z.string().optional(),
    error: z.object({ type: z.string(), message: z.string() }).optional(),
    output: z.record(z.string(), z.unknown()).optional(),
    nodes: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'Run' });

/** Runs of plans: started, watched, consented to, cancelled. */
export const runRoutes: Routes = (app, assay) => {
  const tag = 'Plans';
  const params = z.object({ id: z.string() });
  const answers = { 200: { description: 'How the run stands', schema: RunBody } };
  describe(app, {
    method: 'post',
    path: '/v1/plans/{id}/runs',
    summary: 'Run a plan',
    tag,
    params,
    body: Start,
    answers: { 201: answers[200] },
    faults: ['InvalidInput', 'PaymentRequired', 'NotFound'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/runs/{id}',
    summary: 'A run with its nodes and attempts',
    tag,
    params,
    answers,
    faults: ['NotFound'],
  });
  describe(app, {
    method: 'post',
    path: '/v1/runs/{id}/nodes/{node}/confirm',
    summary: 'Let a waiting node run, or deny it',
    tag,
    params: params.extend({ node: z.string() }),
    body: Consent,
    answers,
    faults: ['NotFound', 'Conflict'],
  });
  describe(app, {
    method: 'delete',
    path: '/v1/runs/{id}',
    summary: 'Cancel a run',
    tag,
    params,
    answers,
    faults: ['NotFound'],
  });

  app.post('/v1/plans/:id/runs', async (c) => {
    const actor = c.get('actor');
    requireScope(actor, 'invoke');
    const { input } = await readBody(c, Start);
    const runs = requireRuns(assay);
    const traceparent = c.req.header('traceparent');
    const request = {
      tenant: c.get('tenant'),
      plan_id: c.req.param('id'),
      input,
      actor: runActorOf(actor),
      traceparent,
    };
    const priceMicros = assay.prices ? operationPrice(assay.prices, 'run') : 0;
    const { value } = await operate(
      assay,
      actor,
      { name: 'run', priceMicros, requestId: c.get('requestId') },
      async () => ({ value: await runs.start(request), cached: false }),
    );
    return answerJson(c, value, 201);
  });

  app.get('/v1/runs/:id', async (c) => {
    requireScope(c.get('actor'), 'read');
    const run = await requireRuns(assay).view(c.get('tenant'), c.req.param('id'));
    if (run) return answerJson(c, run);
    throw new Fault('NotFound', `there is no run ${JSON.stringify(c.req.param('id'))}`, { run_id: c.req.param('id') });
  });

  app.post('/v1/runs/:id/nodes/:node/confirm', async (c) => {
    requireScope(c.get('actor'), 'approve');
    const { approve } = await readBody(c, Consent);
    const { id, node } = c.req.param();
    return answerJson(
      c,
      await requireRuns(assay).confirm(c.get('tenant'), id, node, { approve, approver: c.get('actor').keyId }),
    );
  });

  app.delete('/v1/runs/:id', async (c) => {
    requireScope(c.get('actor'), 'invoke');
    return answerJson(c, await requireRuns(assay).cancel(c.get('tenant'), c.req.param('id')));
  });
};

const requireRuns = ({ runs }: Assay): Runs => {
  if (runs) return runs;
  throw new Fault('Unavailable', 'plans cannot run in this process');
};
