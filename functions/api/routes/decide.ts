import * as z from 'zod';
import { jsonBody } from '../body.ts';
import { captureQuota } from '../quota-headers.ts';
import { stateOf } from '../request-state.ts';
import { reply, route } from '../route.ts';

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

const StepBody = z
  .object({
    step: z.enum(['scenario', 'intent', 'match', 'evaluate', 'arguments']),
    decided: z.unknown(),
    evidence: z.array(z.string()),
    confidence: z.number(),
    candidates: z.object({ before: z.int(), after: z.int() }),
    by: z.enum(['rules', 'model']),
    notes: z.array(z.string()).optional(),
  })
  .meta({ id: 'DecisionStep' });

const DecisionBody = z
  .object({
    steps: z.array(StepBody),
    tool: z.string().nullable(),
    reason: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    missing: z.array(z.object({ parameter: z.string(), question: z.string() })),
    doubts: z
      .array(z.object({ parameter: z.string(), value: z.unknown(), question: z.string() }))
      .meta({ description: 'Values that may be wrong, least certain first; empty when ready' }),
    valid: z.boolean(),
    ready: z.boolean().meta({ description: 'About 93 in 100 such calls were right where the answer is known' }),
    confidence: z.number().meta({ description: 'The probability that tool and arguments are exactly right' }),
    alternatives: z.array(
      z.object({
        tool: z.string(),
        confidence: z.number().meta({ description: 'The probability that this is the right tool' }),
        fits: z.number().meta({ description: 'The probability that it fits at all, whatever the others do' }),
        reasons: z.array(z.string()),
      }),
    ),
    permission: z.enum(['safe', 'confirm', 'dangerous']).optional(),
    notes: z.array(z.string()),
    charged_micros: z.int(),
    decision_id: z
      .string()
      .meta({ description: 'Send it when the tool is called or rated, so that the registry learns from it' }),
  })
  .meta({ id: 'Decision' });

/** The five-step decision. Its answer is a draft; nothing is run. */
const decide = route({
  method: 'post',
  path: '/v1/decide',
  scope: 'invoke',
  summary: 'Choose a tool for a task in five explained steps, with arguments taken from the task',
  tag: 'Decision',
  body: jsonBody(Decide),
  answers: { 200: { description: 'The draft, with its reasons', schema: DecisionBody } },
  faults: ['InvalidInput', 'PaymentRequired', 'TooLarge'],
  async handle({ api, actor, requestId, body, context }) {
    const { decideFor } = await loadDecide();
    const options = { requestId, metered: captureQuota(context), once: stateOf(context).once };
    return reply(200, await decideFor(api, actor, body, () => context.req.raw.signal, options));
  },
});

export const decideRoutes = [decide] as const;

/** Imported with its word vectors by the first decision, not at every start. */
const loadDecide = () => import('../../../shared/decide/decide-for.ts');
