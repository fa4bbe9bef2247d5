import type { TokenAnswer } from './run-deps.ts';
import type { PlanMachine } from './to-asl.ts';

/** How an execution stands. */
export type ExecutionState =
  | { readonly status: 'RUNNING' }
  | { readonly status: 'SUCCEEDED'; readonly output: unknown }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'; readonly error: string; readonly cause: string };

/** State machines somewhere else, made when they are first needed. */
export interface Machines {
  /** Starts an execution of the machine, creating it if need be; answers the execution's address. */
  start(machine: PlanMachine, name: string, input: unknown): Promise<string>;
  /** Runs a machine for short plans to its end. */
  runSync(machine: PlanMachine, name: string, input: unknown): Promise<ExecutionState>;
  /** Undefined when nothing is known of it, as right after the start or long after the end. */
  describe(execution: string): Promise<ExecutionState | undefined>;
  stop(execution: string, cause: string): Promise<void>;
  answer(token: string, answer: TokenAnswer): Promise<void>;
  /** Removes machines that nobody has used for so long and that run nothing; answers their hashes. */
  removeUnused(unusedMs: number): Promise<readonly string[]>;
}
