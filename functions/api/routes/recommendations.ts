import * as z from 'zod';
import { rateTool } from '../../../shared/insight/feedback.ts';
import { forgetExamples, learnFromDecision, listExamples } from '../../../shared/insight/learn.ts';
import { LIST_KINDS, listedTools, parseListKind, putOnList, takeOffList } from '../../../shared/insight/lists.ts';
import { recommendTools } from '../../../shared/insight/recommend-tools.ts';
import { Feedback } from '../../../shared/model/feedback.ts';
import { EXAMPLE_ORIGINS } from '../../../shared/model/learned-example.ts';
import { jsonBody, optionalJsonBody } from '../body.ts';
import { done, reply, route } from '../route.ts';

const tag = 'Recommendation';

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

const ListParams = z.object({ kind: z.string().meta({ enum: [...LIST_KINDS] }) });
const EntryParams = ListParams.extend({ name: z.string() });

const getRecommendations = route({
  method: 'get',
  path: '/v1/recommendations',
  scope: 'read',
  summary: 'Recommend tools, for a task or overall, with the parts of their score',
  tag,
  query: Query,
  answers: {
    200: {
      description: 'The best first',
      schema: z.object({ recommendations: z.array(RecommendationBody) }),
    },
  },
  faults: ['InvalidInput'],
  async handle({ api, actor, query }) {
    await api.recorder.flush();
    return reply(200, { recommendations: await recommendTools(api, actor, query) });
  },
});

const postFeedback = route({
  method: 'post',
  path: '/v1/feedback',
  scope: 'invoke',
  summary: 'Rate a tool from 1 to 5; a key’s later rating of a version replaces its earlier one',
  tag,
  body: jsonBody(Feedback),
  answers: {
    201: {
      description: 'The sum of the version’s ratings',
      schema: z.object({ tool: z.string(), ratings: z.int(), mean: z.number() }),
    },
  },
  faults: ['InvalidInput', 'NotFound'],
  async handle({ api, actor, body }) {
    await api.recorder.flush();
    const { decision_id: decision, ...feedback } = body;
    const { count, sum } = await rateTool(api, actor, feedback);
    if (decision !== undefined && body.rating >= GOOD)
      await learnFromDecision(api, actor, decision, body.tool, 'feedback');
    return reply(201, { tool: body.tool, ratings: count, mean: sum / count });
  },
});

/** From this rating on, a decision counts as right. */
const GOOD = 4;

const ExampleBody = z
  .object({ tool: z.string(), id: z.string(), request: z.string(), from: z.enum(EXAMPLE_ORIGINS), at: z.string() })
  .meta({ id: 'LearnedExample' });

const getExamples = route({
  method: 'get',
  path: '/v1/examples',
  scope: 'read',
  summary: 'The requests learned as examples, by tool',
  tag,
  query: z.object({ tool: z.string().max(128).optional() }),
  answers: { 200: { description: 'The examples', schema: z.object({ examples: z.array(ExampleBody) }) } },
  faults: ['InvalidInput'],
  handle: async ({ api, actor, query }) => reply(200, { examples: await listExamples(api, actor, query.tool) }),
});

const deleteExamples = route({
  method: 'delete',
  path: '/v1/examples/:tool',
  scope: ['write', 'tenant_admin'],
  summary: 'Forget the examples of a tool, or one of them',
  tag,
  params: z.object({ tool: z.string() }),
  query: z.object({ id: z.string().max(64).optional() }),
  answers: { 204: { description: 'Forgotten, or did not exist' } },
  faults: ['InvalidInput', 'NotFound'],
  async handle({ api, actor, params, query }) {
    await forgetExamples(api, actor, params.tool, query.id);
    return done;
  },
});

const getList = route({
  method: 'get',
  path: '/v1/lists/:kind',
  scope: 'read',
  summary: 'The entries of a list, manual and automatic',
  tag,
  params: ListParams,
  answers: { 200: { description: 'Its entries', schema: z.object({ entries: z.array(EntryBody) }) } },
  faults: ['NotFound'],
  async handle({ api, actor, params }) {
    const kind = parseListKind(params.kind);
    await api.recorder.flush();
    return reply(200, { entries: await listedTools(api, actor, kind) });
  },
});

const putEntry = route({
  method: 'put',
  path: '/v1/lists/:kind/:name',
  scope: ['write', 'tenant_admin'],
  summary: 'Put a tool on a list',
  tag,
  params: EntryParams,
  body: optionalJsonBody(Listed),
  answers: { 200: { description: 'The entry', schema: EntryBody } },
  faults: ['InvalidInput', 'NotFound'],
  handle: async ({ api, actor, params: { kind, name }, body = {} }) =>
    reply(200, await putOnList(api, actor, parseListKind(kind), name, body)),
});

const deleteEntry = route({
  method: 'delete',
  path: '/v1/lists/:kind/:name',
  scope: ['write', 'tenant_admin'],
  summary: 'Take a tool off a list, the automatic blacklist included',
  tag,
  params: EntryParams,
  answers: { 204: { description: 'Removed, or was not on it' } },
  faults: ['NotFound'],
  async handle({ api, actor, params: { kind, name } }) {
    await api.recorder.flush();
    await takeOffList(api, actor, parseListKind(kind), name);
    return done;
  },
});

/** Recommendations, feedback, examples and lists. */
export const recommendationRoutes = [
  getRecommendations,
  postFeedback,
  getExamples,
  deleteExamples,
  getList,
  putEntry,
  deleteEntry,
] as const;
