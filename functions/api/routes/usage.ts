import * as z from 'zod';
import { monthOf } from '../../../shared/execute/billing/month.ts';
import { usageCsv, usageJsonLines } from '../../../shared/execute/billing/usage.ts';
import { usageFor } from '../../../shared/execute/billing/usage-for.ts';
import { verifyUsage } from '../../../shared/execute/billing/verify-usage.ts';
import type { Actor } from '../../../shared/model/key.ts';
import { answerBytes } from '../answer.ts';
import type { Api } from '../env.ts';
import { reply, route } from '../route.ts';

const tag = 'Keys';

const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');
const UsageQuery = z.object({ month: Month.optional(), format: z.enum(['json', 'csv', 'jsonl']).optional() });
const VerifyQuery = z.object({ month: Month.optional() });

const Counted = { calls: z.int(), micros: z.int() };
const UsageBody = z
  .object({
    month: z.string(),
    ...Counted,
    keys: z.array(
      z.object({
        key_id: z.string(),
        ...Counted,
        tools: z.array(z.object({ tool: z.string(), ...Counted, unpriced: z.literal(true).optional() })),
      }),
    ),
  })
  .meta({ id: 'Usage' });

const Verification = z.record(z.string(), z.unknown()).meta({ id: 'UsageVerification' });
const verification = { 200: { description: 'The ledger compared with the counters', schema: Verification } } as const;

const getUsage = route({
  method: 'get',
  path: '/v1/usage',
  scope: 'read',
  summary:
    'Calls and micro-dollars of a month by key and tool, as JSON, CSV or JSON Lines; a key sees its own, an admin all',
  tag,
  query: UsageQuery,
  answers: { 200: { description: 'The usage', schema: UsageBody } },
  faults: ['InvalidInput'],
  async handle({ api, actor, query, context }) {
    const month = query.month ?? monthOf(api.clock.now());
    const usage = await usageFor(api, actor, month);
    if (query.format === 'csv') return answerBytes(context, usageCsv(usage), 'text/csv; charset=utf-8');
    if (query.format === 'jsonl') return answerBytes(context, usageJsonLines(usage), 'application/jsonl');
    return reply(200, usage);
  },
});

const verifyMonth = async (api: Api, actor: Actor, month: string | undefined, settle: boolean) => {
  await api.recorder.flush();
  return reply(200, { ...(await verifyUsage(api, actor, month ?? monthOf(api.clock.now()), settle)) });
};

const verify = route({
  method: 'get',
  path: '/v1/usage/verification',
  scope: 'tenant_admin',
  summary: 'Verify that the ledger sums to the counters',
  tag,
  query: VerifyQuery,
  answers: verification,
  faults: ['InvalidInput'],
  handle: ({ api, actor, query }) => verifyMonth(api, actor, query.month, false),
});

const settle = route({
  method: 'post',
  path: '/v1/usage/verification',
  scope: 'tenant_admin',
  summary: 'Correct the quota counters and usage from the ledger',
  tag,
  query: VerifyQuery,
  answers: verification,
  faults: ['InvalidInput'],
  handle: ({ api, actor, query }) => verifyMonth(api, actor, query.month, true),
});

/** Usage and charges. */
export const usageRoutes = [getUsage, verify, settle] as const;
