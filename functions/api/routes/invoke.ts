import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { executeTool } from '../../../shared/execute/execute.ts';
import type { Remaining } from '../../../shared/execute/meter.ts';
import { createEndOfTurn } from '../../../shared/kernel/end-of-turn.ts';
import { answerJson } from '../answer.ts';
import { readBody } from '../body.ts';
import { describe } from '../describe.ts';
import type { ApiContext, Routes } from '../env.ts';
import { NameParam } from '../schemas.ts';

const Invoke = z
  .strictObject({
    arguments: z.record(z.string(), z.unknown()).default({}),
    version: z.string().max(256).optional(),
    confirmation: z.string().max(512).optional(),
  })
  .meta({ id: 'Invocation' });

const OutcomeBody = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    version: z.string(),
    status: z.enum(['ok', 'failed']),
    output: z.unknown(),
    error: z.object({ type: z.string(), message: z.string() }).optional(),
    duration_ms: z.number(),
    cached: z.boolean(),
    charged_micros: z.int(),
  })
  .meta({ id: 'Outcome' });

export const invokeRoutes: Routes = (app, assay) => {
  describe(app, {
    method: 'post',
    path: '/v1/tools/{name}/invoke',
    summary: 'Run a tool; a tool that fails is an outcome with status failed',
    tag: 'Execution',
    params: NameParam,
    body: Invoke,
    answers: { 200: { description: 'What came of it', schema: OutcomeBody } },
    faults: ['InvalidInput', 'PaymentRequired', 'NotFound', 'ConfirmationRequired', 'RateLimited', 'Unavailable'],
  });

  app.post('/v1/tools/:name/invoke', invokeTool(assay));
};

/** `POST /v1/tools/:name/invoke`. */
export const invokeTool = (assay: Assay): ((c: ApiContext) => Promise<Response>) => {
  const endOfTurn = createEndOfTurn();
  return async (c) => {
    requireScope(c.get('actor'), 'invoke');
    const body = await readBody(c, Invoke);
    const invocation = { name: c.req.param('name') ?? '', ...body };
    const options = { requestId: c.get('requestId'), metered: (left: Remaining) => c.set('remaining', left) };
    const outcome = await executeTool(assay, c.get('actor'), invocation, () => c.req.raw.signal, options);
    // Answered one after the other, what ended in one turn costs half: nobody goes back and forth for each.
    await endOfTurn();
    return answerJson(c, outcome);
  };
};
