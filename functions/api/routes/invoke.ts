import * as z from 'zod';
import { type ExecuteContext, executeTool } from '../../../shared/execute/execute.ts';
import { quoteTool } from '../../../shared/execute/quote.ts';
import { type LearnContext, learnFromDecision } from '../../../shared/insight/learn.ts';
import { messageOf } from '../../../shared/kernel/errors.ts';
import type { Actor } from '../../../shared/model/key.ts';
import { answerJson } from '../answer.ts';
import { jsonBody } from '../body.ts';
import { consoleOf, withPersonLink } from '../consent-link.ts';
import { captureQuota } from '../quota-headers.ts';
import { stateOf } from '../request-state.ts';
import { reply, route } from '../route.ts';
import { NameParam } from '../schemas.ts';
import { SpendLimits } from '../spend-schemas.ts';

const Invoke = z
  .strictObject({
    arguments: z.record(z.string(), z.unknown()).default({}),
    version: z.string().max(256).optional(),
    confirmation: z.string().max(512).optional(),
    decision_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'The decision that chose the tool; a success is learned from' }),
    ...SpendLimits,
  })
  .meta({ id: 'Invocation' });

const OutcomeBody = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    version: z.string(),
    status: z.enum(['ok', 'failed', 'interrupted']),
    output: z.unknown().optional(),
    error: z.object({ type: z.string(), message: z.string() }).optional(),
    duration_ms: z.number(),
    cached: z.boolean(),
    charged_micros: z.int(),
  })
  .meta({ id: 'Outcome' });

const invokeTool = route({
  method: 'post',
  path: '/v1/tools/:name/invoke',
  scope: 'invoke',
  summary: 'Run a tool; a failing tool answers an outcome with status failed',
  tag: 'Execution',
  params: NameParam,
  body: jsonBody(Invoke),
  answers: { 200: { description: 'The outcome', schema: OutcomeBody } },
  faults: [
    'InvalidInput',
    'PaymentRequired',
    'NotFound',
    'ConfirmationRequired',
    'AccountRequired',
    'RateLimited',
    'Unavailable',
  ],
  async handle({ api, actor, requestId, params, body, context }) {
    const { max_micros: maxMicros, dry_run: isDry, decision_id: decision, ...given } = body;
    const invocation = { name: params.name, ...given };
    if (isDry) return answerJson(context, await quoteTool(api, actor, invocation, maxMicros));
    const options = { requestId, metered: captureQuota(context), once: stateOf(context).once, maxMicros };
    const outcome = await executeTool(api, actor, invocation, () => context.req.raw.signal, options).catch(
      (thrown: unknown) => {
        throw withPersonLink(thrown, consoleOf(context.req.raw));
      },
    );
    if (decision !== undefined && outcome.status === 'ok') await learnFromUse(api, actor, decision, params.name);
    // Sending the answers of one turn of the event loop together halves their cost.
    await api.endOfTurn();
    return reply(200, outcome);
  },
});

/** A failure to learn does not affect the call's outcome. */
const learnFromUse = async (
  api: LearnContext & Pick<ExecuteContext, 'recorder'>,
  actor: Actor,
  id: string,
  tool: string,
) => {
  await api.recorder.flush();
  await learnFromDecision(api, actor, id, tool, 'use').catch((thrown) =>
    api.log.warn('a call could not be learned from', { tool, reason: messageOf(thrown) }),
  );
};

export const invokeRoutes = [invokeTool] as const;
