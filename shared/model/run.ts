import * as z from 'zod';
import { Lease } from '../kernel/lease.ts';
import { stored } from '../kernel/stored.ts';

/** A failure as stored in records. */
export const RunError = z.strictObject({ type: z.string(), message: z.string() });
export type RunError = Readonly<z.infer<typeof RunError>>;

/**
 * A node's result: the value itself, or its key in the blob store. Values were written by us, so they are not
 * validated.
 */
export const NodeResult = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ ref: z.string(), bytes: z.int() }),
]);
export type NodeResult = Readonly<z.infer<typeof NodeResult>>;

/** A node's end in an execution: a result, or why there is none. */
export const NodeRecord = z.union([
  z.strictObject({ s: z.literal('ok'), v: z.unknown() }),
  z.strictObject({ s: z.literal('ok'), ref: z.string() }),
  z.strictObject({ s: z.enum(['skipped', 'denied']), error: z.string().optional() }),
]);
export type NodeRecord = Readonly<z.infer<typeof NodeRecord>>;

export const Predicted = z.strictObject({
  critical_path_ms: z.number(),
  makespan_ms: z.number(),
  ratio: z.number(),
});
export type Predicted = Readonly<z.infer<typeof Predicted>>;

/** A stored run. Times are milliseconds since 1970. */
const RunBody = z.object({
  run_id: z.string(),
  tenant: z.string(),
  plan_id: z.string(),
  machine: z.string(),
  engine: z.enum(['local', 'STANDARD', 'EXPRESS']),
  execution: z.string().optional(),
  /** The ids of the nodes behind states n1, n2, ... */
  order: z.array(z.string()),
  inline_bytes: z.int(),
  predicted: Predicted,
  input: NodeResult,
  /** The actor it runs for; only the process that executes nodes reads it. */
  actor: z.unknown(),
  /** The trace of the request that started it. */
  traceparent: z.string().optional(),
  status: z.enum(['running', 'ok', 'failed', 'cancelled']),
  started_at: z.number(),
  ended_at: z.number().optional(),
  cancel_requested_at: z.number().optional(),
  error: RunError.optional(),
  /** The outcome of each node, once the execution reported it. */
  outcomes: z.record(z.string(), z.enum(['ok', 'skipped', 'denied'])).optional(),
});
export type RunBody = Readonly<z.infer<typeof RunBody>>;
export const RunItem = stored<RunBody>({ what: 'run', schema: RunBody, cure: 'start the plan again' });

/** One attempt at a node, as stored. */
const AttemptBody = z.object({
  node: z.string(),
  attempt: z.int(),
  /** An `interrupted` attempt is one whose process ended first; it does not count against the retry policy. */
  status: z.enum(['running', 'ok', 'failed', 'interrupted']),
  started_at: z.number(),
  ended_at: z.number().optional(),
  error: RunError.optional(),
  /** Stored as soon as the tool has answered, before the call is charged. */
  result: NodeResult.optional(),
  /** Chosen before the tool runs; an attempt that resumes an interrupted one has the same. */
  call_id: z.string().optional(),
  /** The lease of the function that executes it, where no process holds the lease of the whole run. */
  lease: Lease.optional(),
});
export type AttemptBody = Readonly<z.infer<typeof AttemptBody>>;
export const AttemptItem = stored<AttemptBody>({ what: 'attempt', schema: AttemptBody, cure: 'start the plan again' });

/** A stored confirmation request. The token answers it and is never shown. */
const ApprovalBody = z.object({
  node: z.string(),
  token: z.string(),
  asked_at: z.number(),
  expires_at: z.number(),
  decision: z.enum(['approved', 'denied']).optional(),
  decided_at: z.number().optional(),
  approver: z.string().optional(),
});
export type ApprovalBody = Readonly<z.infer<typeof ApprovalBody>>;
export const ApprovalItem = stored<ApprovalBody>({
  what: 'question to a person',
  schema: ApprovalBody,
  cure: 'cancel the run and start the plan again',
});

const ActiveRun = z.object({ tenant: z.string(), run_id: z.string(), lease: Lease.optional() });
type ActiveRun = Readonly<z.infer<typeof ActiveRun>>;

/** Marks a run as in flight, with the lease of the process that executes it. Version 1 named a process by its id. */
export const ActiveRunItem = stored<ActiveRun>({
  what: 'entry of a running plan',
  version: 2,
  schema: ActiveRun,
  upgrades: { 1: ({ owner: _, ...entry }) => entry },
});

export type NodeStatus =
  | 'pending'
  | 'running'
  | 'waiting_approval'
  | 'ok'
  | 'skipped'
  | 'denied'
  | 'failed'
  | 'aborted';

/** A node of a run as callers see it. `ready_at` is when its last dependency settled. */
export interface NodeView {
  readonly id: string;
  readonly tool: string;
  readonly version: string;
  readonly status: NodeStatus;
  readonly reason?: string;
  readonly ready_at?: string;
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly attempts: readonly AttemptView[];
  readonly result?: unknown;
  readonly result_ref?: string;
  readonly approval?: ApprovalView;
  /** Arguments that take values from a source. */
  readonly from_upstream?: readonly string[];
  readonly idempotency_key: string;
}

export interface AttemptView {
  readonly attempt: number;
  readonly status: AttemptBody['status'] | 'aborted';
  readonly started_at: string;
  readonly ended_at?: string;
  readonly error?: RunError;
  readonly call_id?: string;
}

export interface ApprovalView {
  readonly asked_at: string;
  readonly expires_at: string;
  readonly decision?: 'approved' | 'denied' | 'timed_out';
  readonly decided_at?: string;
  readonly approver?: string;
  /**
   * While it waits: what the tool would get. Outputs stored elsewhere, and the run's input, stay `{"$from": ...}`.
   */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A run as callers see it. `output` holds the results of the nodes without dependants. */
export interface RunView {
  readonly run_id: string;
  readonly plan_id: string;
  readonly status: RunBody['status'];
  readonly engine: RunBody['engine'];
  readonly machine: string;
  readonly predicted: Predicted;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly duration_ms?: number;
  readonly cancel_requested_at?: string;
  readonly error?: RunError;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly nodes: readonly NodeView[];
}
