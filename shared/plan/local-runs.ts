import { ACTIVE_RUNS_PK, activeRunKey } from '../kernel/item-keys.ts';
import type { Log } from '../kernel/ports.ts';
import { isUnreadable, put, read } from '../kernel/stored.ts';
import { ActiveRunItem, type RunBody, type RunView } from '../model/run.ts';
import type { EngineEvent, EnginePorts, TaskCall } from './engine/ports.ts';
import { prepareChecked } from './engine/prepare.ts';
import { createTokenDesk, type TokenDesk } from './engine/tokens.ts';
import { interpret } from './interpret.ts';
import { endRun, readRunEnd } from './record.ts';
import type { RunDeps, SavedPlan } from './run-deps.ts';
import { cachePlans, changeRun, loadRows, loadRun, noRun } from './run-store.ts';
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
import { type ExecutionInput, runStep, StepEvent } from './step.ts';
import { type PlanMachine, toAsl } from './to-asl.ts';

export interface LocalRunDeps extends Omit<RunDeps, 'answer' | 'plan'> {
  readonly engine: Pick<EnginePorts, 'sleep' | 'random'>;
  readonly onEvent?: (run: string, event: EngineEvent) => void;
  /** Names this process, and tells whether another that began a run is still there. */
  readonly owner?: string;
  readonly isAlive?: (owner: string) => boolean;
  readonly log?: Pick<Log, 'error'>;
}

export interface LocalRuns extends Runs {
  /** Resolves when a run of this process has ended. */
  ended(tenant: string, run: string): Promise<RunView>;
  /** Goes on with the runs that a lost process has left; answers their ids. */
  resume(): Promise<readonly string[]>;
  /** Leaves the runs where they are, to be resumed by the next process. */
  close(): Promise<void>;
}

interface Active {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Runs plans in this process by the same definition that Step Functions runs. */
export const createLocalRuns = (deps: LocalRunDeps): LocalRuns => new Runner(deps);

class Runner implements LocalRuns {
  readonly #given: LocalRunDeps;
  readonly #deps: RunDeps;
  readonly #desk: TokenDesk;
  readonly #owner: string;
  readonly #active = new Map<string, Active>();
  #closing = false;

  constructor(given: LocalRunDeps) {
    const desk = createTokenDesk(given.clock.newId);
    this.#given = given;
    this.#desk = desk;
    this.#owner = given.owner ?? 'this';
    this.#deps = {
      ...given,
      plan: cachePlans(given),
      answer: async (token, answer) =>
        answer.ok ? desk.succeed(token, answer.output) : desk.fail(token, answer.error, answer.cause),
    };
  }

  async start(request: RunRequest): Promise<RunView> {
    const saved = await planToRun(this.#deps, request.tenant, request.plan_id);
    const machine = machineOf(saved);
    const { run, isNew } = await openRun(this.#deps, request, saved, machine, 'local', ({ tenant, run_id: id }) => [
      put(activeRunKey(tenant, id), ActiveRunItem, { tenant, run_id: id, owner: this.#owner }),
    ]);
    if (isNew) this.#launch(run, machine, executionInput(run, saved, request.traceparent));
    return this.#see(request.tenant, run.run_id);
  }

  view(tenant: string, id: string): Promise<RunView | undefined> {
    return loadView(this.#deps, tenant, id);
  }

  async ended(tenant: string, id: string): Promise<RunView> {
    await this.#active.get(id)?.done;
    return this.#see(tenant, id);
  }

  async confirm(tenant: string, id: string, node: string, decision: ApprovalDecision): Promise<RunView> {
    await decideApproval(this.#deps, tenant, id, node, decision);
    return this.#see(tenant, id);
  }

  async cancel(tenant: string, id: string): Promise<RunView> {
    await requestCancel(this.#deps, tenant, id);
    const running = this.#active.get(id);
    running?.controller.abort();
    await running?.done;
    return this.#see(tenant, id);
  }

  async resume(): Promise<readonly string[]> {
    const { items } = await this.#deps.table.query(ACTIVE_RUNS_PK);
    const resumed: string[] = [];
    for (const item of items)
      try {
        const { tenant, run_id: id } = read(item, ActiveRunItem);
        if (await this.#resumeOne(tenant, id)) resumed.push(id);
      } catch (thrown) {
        // One that cannot be read waits for whoever can; the others go on.
        if (!isUnreadable(thrown)) throw thrown;
        this.#given.log?.error('run not resumed', { run: item.key.sk, error: thrown.message });
      }
    return resumed;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const running = [...this.#active.values()];
    for (const { controller } of running) controller.abort();
    await Promise.allSettled(running.map(({ done }) => done));
  }

  #launch(run: RunBody, machine: PlanMachine, input: ExecutionInput): void {
    const { clock, engine, onEvent } = this.#given;
    const controller = new AbortController();
    const ports: EnginePorts = {
      ...engine,
      now: clock.now,
      name: run.run_id,
      tokens: this.#desk,
      signal: controller.signal,
      task: (call) => runCall(this.#deps, call),
      ...(onEvent === undefined ? {} : { onEvent: (event) => onEvent(run.run_id, event) }),
    };
    const work = async (): Promise<void> => {
      const outcome = await interpret(prepareChecked(machine.definition), input, ports);
      if (this.#closing && outcome.status === 'ABORTED') return;
      const end = readRunEnd(outcome, run);
      await changeRun(this.#deps, run.tenant, run.run_id, (stored) => endRun(stored, end, clock.now()));
    };
    const done = work().finally(() => this.#active.delete(run.run_id));
    // Whoever waits for the end is told of a failure; nobody has to wait.
    done.catch(() => {});
    this.#active.set(run.run_id, { controller, done });
  }

  async #resumeOne(tenant: string, id: string): Promise<boolean> {
    if (this.#active.has(id)) return false;
    if (!(await claim(this.#deps, tenant, id, this.#owner, this.#given.isAlive))) return false;
    const stored = await loadRun(this.#deps, tenant, id);
    if (stored?.status !== 'running') return false;
    const saved = await planToRun(this.#deps, tenant, stored.plan_id);
    const machine = machineOf(saved);
    // A newer version may number the states otherwise; rows are kept by node.
    const { order, hash, inline_bytes } = machine;
    const run = await changeRun(this.#deps, tenant, id, (before) => {
      return { ...before, order: [...order], machine: hash, inline_bytes };
    });
    this.#launch(run, machine, await remainingInput(this.#deps, run, saved));
    if (run.cancel_requested_at !== undefined) this.#active.get(id)?.controller.abort();
    return true;
  }

  async #see(tenant: string, id: string): Promise<RunView> {
    const found = await loadView(this.#deps, tenant, id);
    if (found === undefined) throw noRun(id);
    return found;
  }
}

const machineOf = ({ plan, tree, predicted }: SavedPlan): PlanMachine =>
  toAsl(plan, tree, { makespan_ms: predicted.makespan_ms });

async function runCall(deps: RunDeps, call: TaskCall): Promise<unknown> {
  const { Payload } = call.arguments as { Payload: unknown };
  const record = await runStep(deps, StepEvent.parse(Payload), call.signal);
  return { StatusCode: 200, Payload: record ?? null };
}

/** Takes over a run whose process is gone. */
async function claim(
  deps: RunDeps,
  tenant: string,
  id: string,
  owner: string,
  isAlive: ((owner: string) => boolean) | undefined,
): Promise<boolean> {
  return deps.table.change([activeRunKey(tenant, id)], ([item]) => {
    const before = item && read(item, ActiveRunItem);
    if (!before || (before.owner !== owner && isAlive?.(before.owner) === true)) return { writes: [], result: false };
    return { writes: [put(item.key, ActiveRunItem, { ...before, owner })], result: true };
  });
}

/** The input of a resumed run: questions that were asked before keep their deadline. */
async function remainingInput(deps: RunDeps, run: RunBody, saved: SavedPlan): Promise<ExecutionInput> {
  const rows = await loadRows(deps, run.tenant, run.run_id);
  const input = executionInput(run, saved);
  const now = deps.clock.now();
  const approvals = run.order.map((id, index) => {
    const expires = rows.get(id)?.approval?.expires_at;
    return expires === undefined ? (input.approvals[index] ?? 1) : Math.max(1, Math.ceil((expires - now) / 1000));
  });
  return { ...input, approvals };
}
