import { Fault, messageOf } from '../kernel/errors.ts';
import type { RunBody, RunView } from '../model/run.ts';
import { cachePlans } from './cache-plans.ts';
import type { ExecutionState, Machines } from './machines.ts';
import { endRun, readRunEnd } from './record.ts';
import type { RunDeps, SavedPlan } from './run-deps.ts';
import { changeRun, loadRun, noRun } from './run-store.ts';
import {
  type ApprovalDecision,
  decideApproval,
  executionInput,
  loadView,
  openRun,
  planToRun,
  type RunRequest,
  type Runs,
  requestCancel,
} from './runs.ts';
import { type PlanMachine, toAsl } from './to-asl.ts';

export interface MachineRunDeps extends Omit<RunDeps, 'answer' | 'plan' | 'execute'> {
  readonly machines: Machines;
  /** The function that runs steps, as state machines invoke it. */
  readonly step: string;
}

/** An Express execution ends within five minutes; one that has not reported by then is lost. */
const EXPRESS_LOST_MS = 330_000;
/** By then a start has reached Step Functions, or its process has died: whoever views the run repeats the start. */
const START_MS = 120_000;
/** A start that was in vain for so long ends the run. */
const GIVE_UP_MS = 3_600_000;

/**
 * Runs plans on state machines. Short ones have ended when `start` returns; others are updated when someone views them.
 */
export const createMachineRuns = (deps: MachineRunDeps): Runs => new MachineRuns(deps);

class MachineRuns implements Runs {
  readonly #given: MachineRunDeps;
  readonly #deps: RunDeps;

  constructor(given: MachineRunDeps) {
    this.#given = given;
    this.#deps = {
      ...given,
      plan: cachePlans(given),
      answer: (token, answer) => given.machines.answer(token, answer),
      execute: () => Promise.reject(new Error('nodes run in the step function')),
    };
  }

  async start(request: RunRequest): Promise<RunView> {
    const saved = await planToRun(this.#deps, request.tenant, request.plan_id);
    const machine = machineOf(saved, this.#given.step);
    const { run, isNew } = await openRun(this.#deps, request, saved, machine, machine.type);
    // Starting is idempotent by the run's name on one machine, so an interrupted start is repeated there.
    if (isNew || (isUnstarted(run) && run.machine === machine.hash))
      await this.#launch(run, machine, executionInput(run, saved));
    return this.#see(request.tenant, run.run_id);
  }

  async view(tenant: string, id: string): Promise<RunView | undefined> {
    await this.#settle(tenant, id);
    return loadView(this.#deps, tenant, id);
  }

  async confirm(tenant: string, id: string, node: string, decision: ApprovalDecision): Promise<RunView> {
    await decideApproval(this.#deps, tenant, id, node, decision);
    return this.#see(tenant, id);
  }

  async cancel(tenant: string, id: string): Promise<RunView> {
    const run = await requestCancel(this.#deps, tenant, id);
    // An Express execution cannot be stopped, but its steps see the flag.
    if (run.status === 'running' && run.engine === 'STANDARD' && run.execution !== undefined) {
      await this.#given.machines.stop(run.execution, 'the run was cancelled');
    }
    return this.#see(tenant, id);
  }

  async #launch(run: RunBody, machine: PlanMachine, input: unknown): Promise<void> {
    const { machines } = this.#given;
    try {
      if (machine.type === 'EXPRESS') {
        await this.#end(run, await machines.runSync(machine, run.run_id, input));
        return;
      }
      const execution = await machines.start(machine, run.run_id, input);
      await changeRun(this.#deps, run.tenant, run.run_id, (stored) => ({ ...stored, execution }));
    } catch (thrown) {
      // It is unknown whether the execution started: the flag stops any step of it.
      await requestCancel(this.#deps, run.tenant, run.run_id);
      const cause = `the run could not be started: ${messageOf(thrown)}`;
      await this.#end(run, { status: 'FAILED', error: 'Unavailable', cause });
      throw thrown;
    }
  }

  /** Updates the run from the state of its execution. */
  async #settle(tenant: string, id: string): Promise<void> {
    const run = await loadRun(this.#deps, tenant, id);
    if (run?.status !== 'running') return;
    if (isUnstarted(run)) return this.#startLate(run);
    const state = await readState(run, this.#given.machines, this.#given.clock.now());
    if (state !== undefined) await this.#end(run, state);
  }

  /** Starts the execution of a run whose process died before it did, under the same name: it runs once at most. */
  async #startLate(run: RunBody): Promise<void> {
    const age = this.#given.clock.now() - run.started_at;
    if (age < START_MS) return;
    try {
      if (run.cancel_requested_at !== undefined) return await this.#end(run, { ...ABORTED, cause: 'it was cancelled' });
      const saved = await planToRun(this.#deps, run.tenant, run.plan_id);
      const machine = machineOf(saved, this.#given.step);
      // On another machine its name would start it a second time.
      if (machine.hash !== run.machine) throw new Fault('Conflict', 'its plan is compiled differently by this release');
      const execution = await this.#given.machines.start(machine, run.run_id, executionInput(run, saved));
      await changeRun(this.#deps, run.tenant, run.run_id, (stored) => ({ ...stored, execution }));
    } catch (thrown) {
      // The next view tries again; the flag stops an execution that did start.
      if (age < GIVE_UP_MS) return;
      await requestCancel(this.#deps, run.tenant, run.run_id);
      const cause = `the run could not be started: ${messageOf(thrown)}; start the plan again`;
      await this.#end(run, { status: 'FAILED', error: 'Unavailable', cause });
    }
  }

  async #end(run: RunBody, state: ExecutionState): Promise<void> {
    if (state.status === 'RUNNING') return;
    await changeRun(this.#deps, run.tenant, run.run_id, (stored) =>
      endRun(stored, readRunEnd(state, stored), this.#given.clock.now()),
    );
  }

  async #see(tenant: string, id: string): Promise<RunView> {
    const found = await this.view(tenant, id);
    if (found === undefined) throw noRun(id);
    return found;
  }
}

const ABORTED = { status: 'ABORTED', error: 'RunCancelled' } as const;

const isUnstarted = ({ status, engine, execution }: RunBody): boolean =>
  status === 'running' && engine === 'STANDARD' && execution === undefined;

async function readState(run: RunBody, machines: Machines, now: number): Promise<ExecutionState | undefined> {
  if (run.engine === 'STANDARD' && run.execution !== undefined) return machines.describe(run.execution);
  const lost = run.engine === 'EXPRESS' && now - run.started_at > EXPRESS_LOST_MS;
  return lost ? { status: 'FAILED', error: 'Unavailable', cause: 'the execution was lost' } : undefined;
}

const machineOf = ({ plan, tree, predicted }: SavedPlan, step: string): PlanMachine =>
  toAsl(plan, tree, { makespan_ms: predicted.makespan_ms, step });
