import type { Blobs, Clock, Table } from '../kernel/ports.ts';
import type { Plan, PlanNode, PlanTree } from '../model/plan.ts';
import type { Predicted, RunError } from '../model/run.ts';

/** A plan with how it will run. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly tree: PlanTree;
  readonly predicted: Predicted;
}

/** One call of a node's tool, on behalf of whoever started the run. */
export interface NodeCall {
  readonly tenant: string;
  readonly runId: string;
  readonly node: PlanNode;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly attempt: number;
  readonly actor: unknown;
  /** Who consented, where consent was asked. */
  readonly approvedBy?: string;
  readonly signal?: AbortSignal;
}

/** What came of it. A refusal is thrown as a `Fault` instead. */
export interface NodeOutcome {
  readonly status: 'ok' | 'failed';
  readonly output?: unknown;
  readonly error?: RunError;
  readonly call_id?: string;
}

/** The dependencies of runs. */
export interface RunDeps {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** The plan with this id, from memory where it is known: a plan never changes. */
  readonly plan: (tenant: string, id: string) => Promise<SavedPlan | undefined>;
  readonly execute: (call: NodeCall) => Promise<NodeOutcome>;
  /** Answers a waiting task token; rejects when nobody waits for it any more. */
  readonly answer: (token: string, answer: TokenAnswer) => Promise<void>;
}

export type TokenAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: string; readonly cause: string };
