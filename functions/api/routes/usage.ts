import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { addSums, nothing, type Sum } from '../../../shared/execute/billing/ledger.ts';
import { monthOf } from '../../../shared/execute/billing/month.ts';
import { priceOf } from '../../../shared/execute/billing/prices.ts';
import { readUsage, type Usage, usageCsv } from '../../../shared/execute/billing/usage.ts';
import { verifyUsage } from '../../../shared/execute/billing/verify-usage.ts';
import { answerJson } from '../answer.ts';
import { parseBy } from '../body.ts';
import { describe } from '../describe.ts';
import { type ApiContext, catalogOf, type Routes } from '../env.ts';

const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');
const UsageQuery = z.object({ month: Month.optional(), format: z.enum(['json', 'csv']).optional() });
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

/** What was used and charged. A key sees its own; an admin sees the tenant's. */
export const usageRoutes: Routes = (app, assay) => {
  const verification = {
    200: { description: 'The ledger beside what is stored', schema: z.record(z.string(), z.unknown()) },
  };
  describe(app, {
    method: 'get',
    path: '/v1/usage',
    summary: 'Calls and micro-dollars of a month by key and tool, as JSON or CSV',
    tag: 'Keys',
    query: UsageQuery,
    answers: { 200: { description: 'The usage', schema: UsageBody } },
    faults: ['InvalidInput'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/usage/verification',
    summary: 'Prove that the ledger sums to the counters',
    tag: 'Keys',
    query: VerifyQuery,
    answers: verification,
    faults: ['InvalidInput'],
  });
  describe(app, {
    method: 'post',
    path: '/v1/usage/verification',
    summary: 'Set quota counters to what the ledger says; only while no call is running',
    tag: 'Keys',
    query: VerifyQuery,
    answers: verification,
    faults: ['InvalidInput'],
  });

  app.get('/v1/usage', async (c) => {
    requireScope(c.get('actor'), 'read');
    const { month = monthOf(assay.clock.now()), format } = parseBy(UsageQuery, c.req.query(), 'the query');
    const usage = ownUsage(c, await readUsage(assay.table, c.get('tenant'), month, await pricedTools(c, assay)));
    return format === 'csv'
      ? c.body(usageCsv(usage), 200, { 'content-type': 'text/csv; charset=utf-8' })
      : answerJson(c, usage);
  });

  const verify = async (c: ApiContext, settle: boolean): Promise<Response> => {
    requireScope(c.get('actor'), 'admin');
    const { month = monthOf(assay.clock.now()) } = parseBy(VerifyQuery, c.req.query(), 'the query');
    await assay.recorder.flush();
    return answerJson(c, await verifyUsage(assay.table, c.get('tenant'), month, settle));
  };
  app.get('/v1/usage/verification', (c) => verify(c, false));
  app.post('/v1/usage/verification', (c) => verify(c, true));
};

const ownUsage = (c: ApiContext, usage: Usage): Usage => {
  const { scopes, keyId } = c.get('actor');
  if (scopes.has('admin')) return usage;
  const keys = usage.keys.filter(({ key_id }) => key_id === keyId);
  return { month: usage.month, ...keys.reduce<Sum>(addSums, nothing), keys };
};

/** Whether anybody has set a price for what a usage row names. */
const pricedTools = async (c: ApiContext, assay: Assay): Promise<(tool: string) => boolean> => {
  const { catalog } = await catalogOf(c, assay);
  const { prices } = assay;
  return (tool) =>
    prices === undefined ||
    tool === 'score' ||
    Object.hasOwn(prices.operations, tool) ||
    priceOf(prices, tool, catalog.get(tool)?.record.spec.price_micros) !== undefined;
};
