import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import { rateTool } from '../../../shared/insight/feedback.ts';
import {
  automaticEntries,
  LIST_KINDS,
  listKindOf,
  putOnList,
  readLists,
  takeOffList,
} from '../../../shared/insight/lists.ts';
import { readAllStats } from '../../../shared/insight/read-stats.ts';
import { recommendTools } from '../../../shared/insight/recommend-tools.ts';
import { Feedback } from '../../../shared/model/feedback.ts';
import { parseBy, readBody } from '../body.ts';
import { describe } from '../describe.ts';
import type { ApiContext, Routes } from '../env.ts';

const Query = z.object({
  task: z.string().trim().min(1).max(4000).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});

const Listed = z
  .strictObject({
    reason: z.string().trim().min(1).max(1024).optional(),
    position: z.int().nonnegative().optional().meta({ description: 'On the whitelist: lower comes first.' }),
  })
  .meta({ id: 'Listed' });

const EntryBody = z
  .object({
    name: z.string(),
    source: z.enum(['manual', 'automatic']),
    at: z.string(),
    reason: z.string().optional(),
    by: z.string().optional(),
    position: z.int().optional(),
    version: z.string().optional(),
    trial_at: z.string().optional(),
  })
  .meta({ id: 'ListEntry' });

const RecommendationBody = z
  .object({
    tool: z.string(),
    version: z.string(),
    score: z.number(),
    parts: z.object({ fit: z.number(), success: z.number(), speed: z.number(), feedback: z.number() }),
    whitelisted: z.boolean(),
    trial: z.boolean(),
    why: z.array(z.string()),
  })
  .meta({ id: 'Recommendation' });

const ListParams = z.object({ kind: z.enum(LIST_KINDS) });

/** Which tools to prefer, and what people and failures say about them. */
export const recommendationRoutes: Routes = (app, assay) => {
  describeRecommendations(app);

  app.get('/v1/recommendations', async (c) => {
    requireScope(c.var.actor, 'read');
    const query = parseBy(Query, c.req.query(), 'the query');
    await assay.recorder.flush();
    return c.json({ recommendations: await recommendTools(assay, c.var.actor, query) });
  });

  app.post('/v1/feedback', async (c) => {
    requireScope(c.var.actor, 'invoke');
    const feedback = await readBody(c, Feedback);
    await assay.recorder.flush();
    const { count, sum } = await rateTool(assay, c.var.actor, feedback);
    return c.json({ tool: feedback.tool, ratings: count, mean: sum / count }, 201);
  });

  app.get('/v1/lists/:kind', async (c) => {
    requireScope(c.var.actor, 'read');
    const kind = listKindOf(c.req.param('kind'));
    await assay.recorder.flush();
    const { [kind]: manual } = await readLists(assay.table, c.var.tenant);
    const automatic = kind === 'blacklist' ? automaticEntries(await readAllStats(assay.table, c.var.tenant)) : [];
    return c.json({ entries: [...manual, ...automatic] });
  });

  app.put('/v1/lists/:kind/:name', async (c) => {
    requireScope(c.var.actor, 'write');
    const kind = listKindOf(c.req.param('kind'));
    const about = (await hasBody(c)) ? await readBody(c, Listed) : {};
    return c.json(await putOnList(assay, c.var.actor, kind, c.req.param('name'), about));
  });

  app.delete('/v1/lists/:kind/:name', async (c) => {
    requireScope(c.var.actor, 'write');
    await assay.recorder.flush();
    await takeOffList(assay, c.var.actor, listKindOf(c.req.param('kind')), c.req.param('name'));
    return c.body(null, 204);
  });
};

const hasBody = async (c: ApiContext): Promise<boolean> => (await c.req.text()) !== '';

const describeRecommendations = (app: Parameters<Routes>[0]): void => {
  const tag = 'Recommendation';
  const params = ListParams.extend({ name: z.string() });
  describe(app, {
    method: 'get',
    path: '/v1/recommendations',
    summary: 'The tools to prefer, for a task or of all, with the parts of their score',
    tag,
    query: Query,
    answers: {
      200: { description: 'The best first', schema: z.object({ recommendations: z.array(RecommendationBody) }) },
    },
    faults: ['InvalidInput'],
  });
  describe(app, {
    method: 'post',
    path: '/v1/feedback',
    summary: 'Rate a tool, or one call of it, from 1 to 5',
    tag,
    body: Feedback,
    answers: {
      201: {
        description: 'What the ratings add up to now',
        schema: z.object({ tool: z.string(), ratings: z.int(), mean: z.number() }),
      },
    },
    faults: ['InvalidInput', 'NotFound'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/lists/{kind}',
    summary: 'What is on a list, by hand or by its failures',
    tag,
    params: ListParams,
    answers: { 200: { description: 'Its entries', schema: z.object({ entries: z.array(EntryBody) }) } },
    faults: ['NotFound'],
  });
  describe(app, {
    method: 'put',
    path: '/v1/lists/{kind}/{name}',
    summary: 'Put a tool on a list',
    tag,
    params,
    body: Listed,
    answers: { 200: { description: 'The entry', schema: EntryBody } },
    faults: ['InvalidInput', 'NotFound'],
  });
  describe(app, {
    method: 'delete',
    path: '/v1/lists/{kind}/{name}',
    summary: 'Take a tool off a list, the automatic blacklist included',
    tag,
    params,
    answers: { 204: { description: 'Taken off, or never on it' } },
    faults: ['NotFound'],
  });
};
