import type { Blobs, Clock, Item, Key, Log, Table, Timers } from '../kernel/ports.ts';
import type { Tracer } from '../kernel/tracer.ts';
import type { Plan, PlanNode, PlanTree } from '../model/plan.ts';
import type { Predicted, RunError } from '../model/run.ts';

/** A plan with how it will run. */
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
  /** Who consented, where consent was asked. */
  readonly approvedBy?: string;
  readonly signal?: AbortSignal;
  /** The one call of this node, however often it is gone on with. */
  readonly callId: string;
  /** An earlier try under this id was cut off; with what its tool had answered, if it had. */
  readonly cutOff?: { readonly answer?: { readonly output: unknown } };
  /** Keeps what the tool answered, before it is charged. */
  readonly answered?: (output: unknown) => Promise<void>;
  /** Whether another process may resume it: then it is neither charged nor recorded here. */
  readonly isLost?: () => boolean;
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
  /** Follows nodes; without it they are not traced. */
  readonly tracer?: Tracer | undefined;
  /** The lease under which this process is at the run; absent on state machines. */
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
  /** Known without looking: the lease has run out, or the process is closing. */
  readonly isLost: () => boolean;
}

export type TokenAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: string; readonly cause: string };
