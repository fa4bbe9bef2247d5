import type { TokenAnswer } from './run-deps.ts';
import type { PlanMachine } from './to-asl.ts';

/** The state of an execution. */
export type ExecutionState =
  | { readonly status: 'RUNNING' }
  | { readonly status: 'SUCCEEDED'; readonly output: unknown }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'; readonly error: string; readonly cause: string };

/** State machines outside this process, created on first use. */
export interface Machines {
  /** Starts an execution of the machine, creating the machine if need be; returns the execution's ARN. */
  start(machine: PlanMachine, name: string, input: unknown): Promise<string>;
  /** Runs an Express execution to its end. */
  runSync(machine: PlanMachine, name: string, input: unknown): Promise<ExecutionState>;
  /** Undefined when the execution is unknown, as right after its start or long after its end. */
  describe(execution: string): Promise<ExecutionState | undefined>;
  stop(execution: string, cause: string): Promise<void>;
  answer(token: string, answer: TokenAnswer): Promise<void>;
  /** Removes machines that have not been used for `unusedMs` and have no running execution; returns their hashes. */
  removeUnused(unusedMs: number): Promise<readonly string[]>;
}
