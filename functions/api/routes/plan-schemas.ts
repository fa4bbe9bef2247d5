import * as z from 'zod';
import { FailurePolicy, Plan, PlanInput, PlanNodeInput } from '../../../shared/model/plan.ts';
import { Predicted, RunError } from '../../../shared/model/run.ts';

/** Request and answer schemas of plans and runs. */

const JsonRecord = z.record(z.string(), z.unknown());

// Like PlanInput, but without what generated clients cannot handle: recursive values, and unions with a default.
const NodesRequest = PlanInput.extend({
  nodes: z.array(PlanNodeInput.extend({ arguments: JsonRecord.optional(), on_failure: FailurePolicy.optional() })),
}).meta({ id: 'PlanNodes' });

export const PlanTask = z.strictObject({ task: z.string().min(1).max(20_000) }).meta({ id: 'PlanTask' });

export const PlanRequest = z.union([PlanTask, NodesRequest]);

/** A tree as a single object type, because generated clients cannot read recursive unions. */
export interface TreeBody {
  kind: 'node' | 'series' | 'parallel';
  id?: string;
  children?: readonly TreeBody[];
}
export const TreeBody: z.ZodType<TreeBody> = z
  .lazy(() =>
    z.object({
      kind: z.enum(['node', 'series', 'parallel']),
      id: z.string().optional().meta({ description: 'The id of a node.' }),
      children: z.array(TreeBody).optional().meta({ description: 'The parts of a series, or parallel branches.' }),
    }),
  )
  .meta({ id: 'PlanTree' });

const NodeBody = z.object({ ...Plan.shape.nodes.element.shape, arguments: JsonRecord }).meta({ id: 'PlanNode' });

const MachineBody = z.object({ type: z.string(), hash: z.string(), order: z.array(z.string()) });

const PlanAnswer = z.object({
  ...Plan.omit({ v: true }).shape,
  nodes: z.array(NodeBody),
  tree: TreeBody,
  predicted: Predicted,
  asl: JsonRecord,
  machine: MachineBody,
});

export const PlanBody = PlanAnswer.meta({ id: 'Plan' });

const Question = z.object({ node: z.string(), parameter: z.string(), question: z.string() });
const StepBody = z
  .object({ id: z.string(), text: z.string(), tool: z.string(), confidence: z.number(), reason: z.string() })
  .meta({ id: 'PlannedStep' });
const draft = {
  steps: z.array(StepBody),
  missing: z.array(Question),
  ready: z.boolean(),
};

/** A task that became a plan. */
export const PlannedBody = PlanAnswer.extend(draft).meta({ id: 'PlannedTask' });

/** What prevents a draft from being a plan; drafts are not stored. */
export const DraftBody = z
  .object({
    ...draft,
    nodes: z.array(z.object({ id: z.string(), tool: z.string(), arguments: JsonRecord, after: z.array(z.string()) })),
  })
  .meta({ id: 'PlanDraft' });

const AttemptBody = z
  .object({
    attempt: z.int(),
    status: z.enum(['running', 'ok', 'failed', 'interrupted', 'aborted']),
    started_at: z.string(),
    ended_at: z.string().optional(),
    error: RunError.optional(),
    call_id: z.string().optional(),
  })
  .meta({ id: 'Attempt' });

const ApprovalBody = z
  .object({
    asked_at: z.string(),
    expires_at: z.string(),
    decision: z.enum(['approved', 'denied', 'timed_out']).optional(),
    decided_at: z.string().optional(),
    approver: z.string().optional(),
    arguments: JsonRecord.optional().meta({
      description:
        'While it waits: the arguments to approve. Outputs stored elsewhere, and the input of the run, stay `{"$from": ...}`.',
    }),
  })
  .meta({ id: 'Approval' });

const RunNodeBody = z
  .object({
    id: z.string(),
    tool: z.string(),
    version: z.string(),
    status: z.enum(['pending', 'running', 'waiting_approval', 'ok', 'skipped', 'denied', 'failed', 'aborted']),
    reason: z.string().optional(),
    ready_at: z.string().optional(),
    started_at: z.string().optional(),
    ended_at: z.string().optional(),
    attempts: z.array(AttemptBody),
    result: z.unknown().optional(),
    result_ref: z.string().optional(),
    approval: ApprovalBody.optional(),
    from_upstream: z.array(z.string()).optional().meta({ description: 'Arguments that take values from a source.' }),
    idempotency_key: z.string(),
  })
  .meta({ id: 'RunNode' });

export const RunBody = z
  .object({
    run_id: z.string(),
    plan_id: z.string(),
    status: z.enum(['running', 'ok', 'failed', 'cancelled']),
    engine: z.enum(['local', 'STANDARD', 'EXPRESS']),
    machine: z.string(),
    predicted: Predicted,
    started_at: z.string(),
    ended_at: z.string().optional(),
    duration_ms: z.number().optional(),
    cancel_requested_at: z.string().optional(),
    error: RunError.optional(),
    output: JsonRecord.optional(),
    nodes: z.array(RunNodeBody),
  })
  .meta({ id: 'Run' });
