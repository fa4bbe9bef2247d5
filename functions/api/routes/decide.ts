import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { operate } from '../../../shared/execute/billing/operation.ts';
import { operationPrice } from '../../../shared/execute/billing/prices.ts';
import type { Remaining } from '../../../shared/execute/meter.ts';
import { answerJson } from '../answer.ts';
import { readBody } from '../body.ts';
import { describe } from '../describe.ts';
import type { Routes } from '../env.ts';

const Names = z.array(z.string().min(1).max(128)).max(1000);
const Decide = z
  .strictObject({
    task: z.string().min(1).max(2_000_000),
    context: z.record(z.string(), z.unknown()).optional(),
    allowed: Names.optional(),
    candidates: Names.optional(),
    top: z.int().min(1).max(20).optional(),
  })
  .meta({ id: 'DecideRequest' });

const DecisionBody = z
  .object({
    steps: z.array(z.record(z.string(), z.unknown())),
    tool: z.string().nullable(),
    reason: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    missing: z.array(z.object({ parameter: z.string(), question: z.string() })),
    valid: z.boolean(),
    ready: z.boolean(),
    confidence: z.number(),
    alternatives: z.array(z.record(z.string(), z.unknown())),
    permission: z.enum(['safe', 'confirm', 'dangerous']).optional(),
    notes: z.array(z.string()),
    charged_micros: z.int(),
  })
  .meta({ id: 'Decision' });

/** The five-step decision. Its answer is a draft: nothing runs because of it. */
export const decideRoutes: Routes = (app, assay) => {
  describe(app, {
    method: 'post',
    path: '/v1/decide',
    summary: 'Choose a tool for a task in five explained steps, with arguments taken from the task',
    tag: 'Decision',
    body: Decide,
    answers: { 200: { description: 'The draft, with its reasons', schema: DecisionBody } },
    faults: ['InvalidInput', 'PaymentRequired', 'TooLarge'],
  });

  app.post('/v1/decide', async (c) => {
    requireScope(c.get('actor'), 'invoke');
    const input = await readBody(c, Decide);
    const { decideFor } = await loadDecide();
    const priceMicros = assay.prices ? operationPrice(assay.prices, 'decide') : 0;
    const operation = {
      name: 'decide',
      priceMicros,
      requestId: c.get('requestId'),
      metered: (left: Remaining) => c.set('remaining', left),
    };
    const { value, chargedMicros } = await operate(assay, c.get('actor'), operation, async () => ({
      value: await decideFor(assay, c.get('actor'), input),
      cached: false,
    }));
    return answerJson(c, { ...value, charged_micros: chargedMicros });
  });
};

/** With its table of words: loaded by the first decision, not by every start. */
const loadDecide = () => import('../../../shared/decide/decide-for.ts');
