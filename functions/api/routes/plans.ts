import * as z from 'zod';
import { ToolName, Version } from '../../../shared/model/tool.ts';
import { type MadePlan, makePlan } from '../../../shared/plan/make-plan.ts';
import type { SavedPlan } from '../../../shared/plan/run-deps.ts';
import { getPlan as findPlan, savePlanAsTool } from '../../../shared/plan/saved-plans.ts';
import { toAsl } from '../../../shared/plan/to-asl.ts';
import { toSvg } from '../../../shared/plan/to-svg.ts';
import { answerBytes } from '../answer.ts';
import { checkedByVerb, jsonBody, parseBy } from '../body.ts';
import { reply, route } from '../route.ts';
import { IdParam, RegistrationBody } from '../schemas.ts';
import { DraftBody, PlanBody, PlannedBody, PlanRequest, PlanTask } from './plan-schemas.ts';

/** An SVG opened on its own must not run scripts or load anything. */
const NO_SCRIPTS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" };

const tag = 'Plans';

const SaveAsTool = z
  .strictObject({ name: ToolName, description: z.string().min(1).max(8192).optional(), version: Version.optional() })
  .meta({ id: 'PlanAsTool' });

const postPlan = route({
  method: 'post',
  path: '/v1/plans',
  scope: 'invoke',
  summary: 'Make a plan from nodes, or from a task in words',
  tag,
  body: checkedByVerb(PlanRequest),
  answers: {
    201: { description: 'The plan, stored under its digest', schema: z.union([PlannedBody, PlanBody]) },
    200: { description: 'A draft, with the questions to answer first', schema: DraftBody },
  },
  faults: ['InvalidInput', 'NotFound'],
  async handle({ api, actor, body }) {
    if (!('task' in body)) return reply(201, viewPlan(await makePlan(api, actor, body)));
    const { task } = parseBy(PlanTask, body, 'the body');
    const { plan, ...draft } = await (await loadPlanner()).planTaskFor(api, actor, task);
    // A draft with missing arguments is returned with questions, and not stored.
    if (draft.missing.length > 0) return reply(200, { ...draft, ...plan });
    return reply(201, { ...viewPlan(await makePlan(api, actor, plan)), ...draft });
  },
});

const getPlan = route({
  method: 'get',
  path: '/v1/plans/:id',
  scope: 'read',
  summary: 'A plan',
  tag,
  params: IdParam,
  answers: { 200: { description: 'The plan', schema: PlanBody } },
  faults: ['NotFound'],
  handle: async ({ api, actor, params }) => reply(200, viewSaved(await findPlan(api, actor, params.id))),
});

const getPicture = route({
  method: 'get',
  path: '/v1/plans/:id/picture',
  scope: 'read',
  summary: 'A picture of a plan and of its series-parallel form',
  tag,
  params: IdParam,
  answers: { 200: { description: 'The picture', schema: z.string(), type: 'image/svg+xml' } },
  faults: ['NotFound'],
  async handle({ api, actor, params, context }) {
    const { plan, tree, predicted } = await findPlan(api, actor, params.id);
    return answerBytes(context, toSvg(plan, tree, predicted), 'image/svg+xml', NO_SCRIPTS);
  },
});

const saveAsTool = route({
  method: 'post',
  path: '/v1/plans/:id/tool',
  scope: 'write',
  summary: 'Register a plan as a tool',
  tag,
  params: IdParam,
  body: jsonBody(SaveAsTool),
  answers: {
    201: { description: 'The new tool or version', schema: RegistrationBody },
    200: { description: 'Identical to what is registered', schema: RegistrationBody },
  },
  faults: ['InvalidInput', 'NotFound', 'Conflict'],
  async handle({ api, actor, params, body }) {
    const { registration, created } = await savePlanAsTool(api, actor, params.id, body);
    return created ? reply(201, registration) : reply(200, registration);
  },
});

/** Plans: checked, compiled to a series-parallel tree and a state machine, and stored under their digest. */
export const planRoutes = [postPlan, getPlan, getPicture, saveAsTool] as const;

/** Imported with the decision's word vectors by the first task, not at every start. */
const loadPlanner = () => import('../../../shared/plan/task/plan-for.ts');

const viewSaved = ({ plan, tree, predicted }: SavedPlan) =>
  viewPlan({ plan, tree, predicted, machine: toAsl(plan, tree, { makespan_ms: predicted.makespan_ms }) });

const viewPlan = ({ plan, tree, predicted, machine }: MadePlan) => {
  const { v: _, ...shown } = plan;
  return {
    ...shown,
    tree,
    predicted,
    asl: machine.definition,
    machine: { type: machine.type, hash: machine.hash, order: machine.order },
  };
};
