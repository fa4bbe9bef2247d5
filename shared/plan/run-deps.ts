import type { Blobs, Clock, Item, Key, Log, Table, Timers } from '../kernel/ports.ts';
import type { Tracer } from '../kernel/tracer.ts';
import type { Plan, PlanNode, PlanTree } from '../model/plan.ts';
import type { Predicted, RunError } from '../model/run.ts';
import type { ReadResult } from './large-results.ts';
import type { NodeTurns } from './node-turns.ts';

/** A plan with its compiled tree and forecast. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly tree: PlanTree;
  readonly predicted: Predicted;
}

/** One call of a node's tool, on behalf of the actor that started the run. */
export interface NodeCall {
  readonly tenant: string;
  readonly runId: string;
  readonly node: PlanNode;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly attempt: number;
  readonly actor: unknown;
  /** Who consented, where consent was required. */
  readonly approvedBy?: string;
  readonly signal?: AbortSignal;
  /** The id of this node's call, the same however often it is resumed. */
  readonly callId: string;
  /** Set when an earlier try under this id was interrupted, with the tool's answer if there was one. */
  readonly cutOff?: { readonly answer?: { readonly output: unknown } };
  /** Stores the tool's answer before it is charged. */
  readonly answered?: (output: unknown) => Promise<void>;
  /** Whether another process may have resumed it: then it is neither charged nor recorded here. */
  readonly isLost?: () => boolean;
}

/** The result of a node's call. A refusal is thrown as a `Fault` instead. */
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
  /** The plan with this id, cached: a plan never changes. */
  readonly plan: (tenant: string, id: string) => Promise<SavedPlan | undefined>;
  readonly execute: (call: NodeCall) => Promise<NodeOutcome>;
  /** Answers a waiting task token; rejects when nobody waits for it any more. */
  readonly answer: (token: string, answer: TokenAnswer) => Promise<void>;
  /** Reads a result that is stored by reference; without it each node reads what it takes. */
  readonly readLarge?: ReadResult | undefined;
  /** Divides this process between tenants; without it nodes go on at once. */
  readonly turns?: NodeTurns | undefined;
  /** Traces nodes; without it they are not traced. */
  readonly tracer?: Tracer | undefined;
  /** The lease under which this process executes the run; absent on state machines. */
  readonly fence?: Fence;
  /** Gives each attempt a lease of its own, where a state machine may deliver a step twice. */
  readonly attemptLeases?: AttemptLeases;
}

export interface AttemptLeases {
  readonly timers: Timers;
  readonly log: Pick<Log, 'warn'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

/** Lets an owner change its run only while it is the owner. */
export interface Fence {
  readonly key: Key;
  readonly holds: (item: Item | undefined) => boolean;
  /** Known without a read: the lease has expired, or the process is closing. */
  readonly isLost: () => boolean;
}

export type TokenAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: string; readonly cause: string };
