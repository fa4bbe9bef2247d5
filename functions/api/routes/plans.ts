import * as z from 'zod';
import { requireScope } from '../../../shared/access/authenticate.ts';
import type { Assay } from '../../../shared/assay.ts';
import { priceOf } from '../../../shared/execute/billing/prices.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import { PlanInput, PlanNodeInput } from '../../../shared/model/plan.ts';
import { ToolName, Version } from '../../../shared/model/tool.ts';
import { type MadePlan, makePlan, requireBlobs } from '../../../shared/plan/make-plan.ts';
import { planDefinition } from '../../../shared/plan/plan-tool.ts';
import type { SavedPlan } from '../../../shared/plan/run-deps.ts';
import { loadPlan } from '../../../shared/plan/run-store.ts';
import { toAsl } from '../../../shared/plan/to-asl.ts';
import { toSvg } from '../../../shared/plan/to-svg.ts';
import { registerTool } from '../../../shared/registry/register-tool.ts';
import { answerJson } from '../answer.ts';
import { parseBy, readBody, readJson } from '../body.ts';
import { describe } from '../describe.ts';
import { type ApiContext, catalogOf, type Routes } from '../env.ts';
import { RegistrationBody } from '../schemas.ts';

// As PlanInput reads it, but for arguments: the document cannot tell of values that contain themselves.
const PlanRequest = PlanInput.extend({
  nodes: z.array(PlanNodeInput.extend({ arguments: z.record(z.string(), z.unknown()).optional() })),
}).meta({ id: 'PlanRequest' });

const PlanTask = z.strictObject({ task: z.string().min(1).max(20_000) });

const PlanBody = z
  .object({
    plan_id: z.string(),
    name: z.string().optional(),
    nodes: z.array(z.record(z.string(), z.unknown())),
    edges: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string() })),
    tree: z.record(z.string(), z.unknown()),
    predicted: z.object({ critical_path_ms: z.number(), makespan_ms: z.number(), ratio: z.number() }),
    asl: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Plan' });

const SaveAsTool = z
  .strictObject({ name: ToolName, description: z.string().min(1).max(8192).optional(), version: Version.optional() })
  .meta({ id: 'PlanAsTool' });

const id = z.object({ id: z.string() });

/** Plans: checked, compiled to a series-parallel tree and a state machine, kept under their digest. */
export const planRoutes: Routes = (app, assay) => {
  const answers = { 200: { description: 'The plan', schema: PlanBody } };
  describe(app, {
    method: 'post',
    path: '/v1/plans',
    summary: 'Make a plan from nodes, or from a task in words',
    tag: 'Plans',
    body: z.union([PlanTask.meta({ id: 'PlanTask' }), PlanRequest]),
    answers: { 201: answers[200] },
    faults: ['InvalidInput', 'NotFound'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/plans/{id}',
    summary: 'A plan',
    tag: 'Plans',
    params: id,
    answers,
    faults: ['NotFound'],
  });
  describe(app, {
    method: 'get',
    path: '/v1/plans/{id}/picture',
    summary: 'A picture of a plan and of its series-parallel form',
    tag: 'Plans',
    params: id,
    answers: { 200: { description: 'The picture', schema: z.string(), type: 'image/svg+xml' } },
    faults: ['NotFound'],
  });
  describe(app, {
    method: 'post',
    path: '/v1/plans/{id}/tool',
    summary: 'Register a plan as a tool',
    tag: 'Plans',
    params: id,
    body: SaveAsTool,
    answers: { 201: { description: 'The tool', schema: RegistrationBody } },
    faults: ['InvalidInput', 'NotFound', 'Conflict'],
  });

  app.post('/v1/plans', async (c) => {
    requireScope(c.get('actor'), 'invoke');
    const body = await readJson(c);
    if (!isObject(body) || !('task' in body))
      return answerJson(c, viewPlan(await makePlan(assay, c.get('actor'), body)), 201);
    const { task } = parseBy(PlanTask, body, 'the body');
    const { plan, ...draft } = await (await loadPlanner()).planTaskFor(assay, c.get('actor'), task);
    // What is not known is asked for: such a draft is shown, and kept by nobody.
    if (draft.missing.length > 0) return answerJson(c, { ...draft, ...plan });
    return answerJson(c, { ...viewPlan(await makePlan(assay, c.get('actor'), plan)), ...draft }, 201);
  });

  app.get('/v1/plans/:id', async (c) => {
    requireScope(c.get('actor'), 'read');
    return answerJson(c, viewSaved(await requirePlan(c, assay)));
  });

  app.get('/v1/plans/:id/picture', async (c) => {
    requireScope(c.get('actor'), 'read');
    const { plan, tree, predicted } = await requirePlan(c, assay);
    return c.body(toSvg(plan, tree, predicted), 200, { 'content-type': 'image/svg+xml' });
  });

  app.post('/v1/plans/:id/tool', async (c) => {
    requireScope(c.get('actor'), 'write');
    const about = await readBody(c, SaveAsTool);
    const saved = await requirePlan(c, assay);
    const definition = planDefinition(saved.plan, about, await priceOfPlan(c, assay, saved));
    const { registration, created } = await registerTool(assay, c.get('tenant'), definition);
    return answerJson(c, registration, created ? 201 : 200);
  });
};

/** With the decision's table of words: loaded by the first task, not by every start. */
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

/** A saved plan of the caller's tenant. */
export const requirePlan = async (c: ApiContext, assay: Assay): Promise<SavedPlan> => {
  const wanted = c.req.param('id') ?? '';
  const saved = await loadPlan({ table: assay.table, blobs: requireBlobs(assay) }, c.get('tenant'), wanted);
  if (saved) return saved;
  throw new Fault('NotFound', `there is no plan ${JSON.stringify(wanted)}; make one by POST /v1/plans`, {
    plan_id: wanted,
  });
};

/** The sum of its nodes' prices; none when one of them has none. */
const priceOfPlan = async (c: ApiContext, assay: Assay, { plan }: SavedPlan): Promise<number | undefined> => {
  const { catalog } = await catalogOf(c, assay);
  const { prices } = assay;
  return plan.nodes.reduce<number | undefined>((sum, { tool }) => {
    const price = prices && priceOf(prices, tool, catalog.get(tool)?.record.spec.price_micros);
    return sum === undefined || price === undefined ? undefined : sum + price;
  }, 0);
};
