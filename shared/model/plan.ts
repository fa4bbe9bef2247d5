import * as z from 'zod';
import { JsonSchema } from '../kernel/json.ts';
import { MAX_NODES } from '../kernel/limits.ts';
import { VersionName } from './registration.ts';
import { Permission, ToolName } from './tool.ts';

/** A saved plan as the handler of a tool: `plan:<id>`. */
export const PLAN_HANDLER_PREFIX = 'plan:';

/** Letters of any script; no dot, because references separate node and path with one. */
export const NodeId = z
  .string()
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_-]{0,63}$/u, 'must be 1 to 64 letters, digits, "_" or "-", starting without "-"');

/** What dependants of a node without a result do: `skip` too, or `run` with null in its place. */
const downstream = z.enum(['skip', 'run']).default('skip');

/** `attempts` includes the first: 3 means at most two retries. */
export const FailurePolicy = z.discriminatedUnion('policy', [
  z.strictObject({ policy: z.literal('stop'), downstream }),
  z.strictObject({ policy: z.literal('skip'), downstream }),
  z.strictObject({
    policy: z.literal('retry'),
    attempts: z.int().min(2).max(10).default(3),
    then: z.enum(['stop', 'skip']).default('stop'),
    downstream,
  }),
]);
export type FailurePolicy = Readonly<z.infer<typeof FailurePolicy>>;

export const PlanNodeInput = z.strictObject({
  id: NodeId,
  tool: ToolName,
  version: z.string().min(1).max(256).optional(),
  arguments: z.record(z.string(), z.json()).default({}),
  after: z.array(NodeId).max(MAX_NODES).default([]),
  on_failure: FailurePolicy.default({ policy: 'stop', downstream: 'skip' }),
  timeout_seconds: z.number().positive().max(900).optional(),
  /** Whether a person must confirm before the node runs; tools of permission `confirm` always ask. */
  confirm: z.boolean().default(false),
  confirm_timeout_seconds: z.int().min(1).max(2_592_000).default(86_400),
});
export type PlanNodeInput = Readonly<z.infer<typeof PlanNodeInput>>;

export const PlanInput = z.strictObject({
  name: z.string().trim().min(1).max(128).optional(),
  /** The schema of the run's own input, which `{"$from": "$input.path"}` reads. */
  input_schema: JsonSchema.optional(),
  nodes: z.array(PlanNodeInput).min(1),
});
export type PlanInput = Readonly<z.infer<typeof PlanInput>>;

/** A node as it will run: version pinned, every dependency in `after`, timeout resolved. */
export const PlanNode = z.strictObject({
  id: NodeId,
  tool: ToolName,
  version: VersionName,
  arguments: z.record(z.string(), z.json()),
  after: z.array(NodeId),
  on_failure: FailurePolicy,
  timeout_seconds: z.int().positive(),
  confirm: z.boolean(),
  confirm_timeout_seconds: z.int().positive(),
  /** Arguments to omit, rather than send as null, when their source node was skipped. */
  drop_null: z.array(z.string()),
  /** Arguments that take values from a source, for a tool that asks or needs a grant: the node asks, and names them. */
  from_upstream: z.array(z.string()).optional(),
});
export type PlanNode = Readonly<z.infer<typeof PlanNode>>;

export const PlanEdge = z.strictObject({ from: NodeId, to: NodeId, kind: z.enum(['data', 'order']) });
export type PlanEdge = Readonly<z.infer<typeof PlanEdge>>;

/** A checked plan. `plan_id` is the SHA-256 of its canonical JSON. */
export const Plan = z.strictObject({
  v: z.literal(1),
  plan_id: z.string(),
  name: z.string().optional(),
  input_schema: JsonSchema.optional(),
  nodes: z.array(PlanNode),
  edges: z.array(PlanEdge),
  permission: Permission,
});
export type Plan = Readonly<z.infer<typeof Plan>>;

/** A series-parallel plan: one node, or children in sequence or in parallel. */
export type PlanTree =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'series' | 'parallel'; readonly children: readonly PlanTree[] };

export const PlanTree: z.ZodType<PlanTree> = z.lazy(() =>
  z.union([
    z.strictObject({ kind: z.literal('node'), id: NodeId }),
    z.strictObject({ kind: z.enum(['series', 'parallel']), children: z.array(PlanTree).min(1) }),
  ]),
);
