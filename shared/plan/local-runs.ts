import { messageOf } from '../kernel/errors.ts';
import { ACTIVE_RUNS_PK, activeRunKey } from '../kernel/item-keys.ts';
import { acquireLease, isHeld, type Lease, releaseLease } from '../kernel/lease.ts';
import { acquireItem, changeWhileHeld, keepLease, newOwner } from '../kernel/leased-item.ts';
import { put, read } from '../kernel/stored.ts';
import { ActiveRunItem, type RunBody, type RunView } from '../model/run.ts';
import { cachePlans } from './cache-plans.ts';
import type { EnginePorts, TaskCall } from './engine/ports.ts';
import { prepareChecked } from './engine/prepare.ts';
import { createTokenDesk, type TokenDesk } from './engine/tokens.ts';
import { interpret } from './interpret.ts';
import { createLargeResults } from './large-results.ts';
import type { LocalRunDeps, LocalRuns } from './local-run-deps.ts';
import { endRun, readRunEnd } from './record.ts';
import type { RunDeps, SavedPlan } from './run-deps.ts';
import { changeRun, isTakenOver, loadRun, noRun } from './run-store.ts';
import {
  type ApprovalDecision,
  decideApproval,
  executionInput,
  loadView,
  openRun,
  planToRun,
  type RunRequest,
  remainingInput,
  requestCancel,
} from './runs.ts';
import { type ExecutionInput, nodeOf, runStep, StepEvent } from './step.ts';
import { type PlanMachine, toAsl } from './to-asl.ts';
import { type Watched, watchRuns } from './watch-run.ts';

interface Active extends Watched {
  readonly done: Promise<void>;
}

/** Runs plans in this process, by the same definition that Step Functions runs. */
export const createLocalRuns = (deps: LocalRunDeps): LocalRuns => new Runner(deps);

class Runner implements LocalRuns {
  readonly #given: LocalRunDeps;
  readonly #deps: RunDeps;
  readonly #desk: TokenDesk;
  readonly #active = new Map<string, Active>();
  #stopWatching: (() => void) | undefined;
  #taking: Promise<unknown> = Promise.resolve();
  #closing = false;

  constructor(given: LocalRunDeps) {
    const desk = createTokenDesk(given.clock.newId);
    this.#given = given;
    this.#desk = desk;
    this.#deps = {
      ...given,
      plan: cachePlans(given),
      readLarge: given.turns && createLargeResults(given, given.turns),
      // A run in another process reads the answer from the table.
      answer: async (token, answer) => {
        if (!desk.isWaiting(token)) return;
        if (answer.ok) desk.succeed(token, answer.output);
        else desk.fail(token, answer.error, answer.cause);
      },
    };
  }

  async start(request: RunRequest): Promise<RunView> {
    const saved = await planToRun(this.#deps, request.tenant, request.plan_id);
    const machine = machineOf(saved);
    const lease = acquireLease(undefined, newOwner(this.#given.random), this.#given.clock.now());
    const { run, isNew } = await openRun(this.#deps, request, saved, machine, 'local', ({ tenant, run_id: id }) => [
      put(activeRunKey(tenant, id), ActiveRunItem, { tenant, run_id: id, lease }),
    ]);
    if (isNew && lease) this.#launch(run, saved, executionInput(run, saved), lease);
    return this.#see(request.tenant, run.run_id);
  }

  view(tenant: string, id: string): Promise<RunView | undefined> {
    return loadView(this.#deps, tenant, id);
  }

  async ended(tenant: string, id: string): Promise<RunView> {
    await this.#active.get(id)?.done;
    return this.#see(tenant, id);
  }

  done(id: string): Promise<void> | undefined {
    return this.#active.get(id)?.done;
  }

  async confirm(tenant: string, id: string, node: string, decision: ApprovalDecision): Promise<RunView> {
    await decideApproval(this.#deps, tenant, id, node, decision);
    return this.#see(tenant, id);
  }

  async cancel(tenant: string, id: string): Promise<RunView> {
    await requestCancel(this.#deps, tenant, id);
    // A run that no process holds is ended here; otherwise its owner sees the flag.
    if (!this.#active.has(id)) await this.#resumeOne(tenant, id);
    const running = this.#active.get(id);
    running?.controller.abort();
    await running?.done;
    return this.#see(tenant, id);
  }

  resume(): Promise<readonly string[]> {
    const taking = this.#resumeAll();
    this.#taking = Promise.allSettled([this.#taking, taking]);
    return taking;
  }

  async #resumeAll(): Promise<readonly string[]> {
    const { items } = await this.#deps.table.query(ACTIVE_RUNS_PK);
    const resumed: string[] = [];
    for (const item of items) {
      if (this.#closing) break;
      try {
        const { tenant, run_id: id } = read(item, ActiveRunItem);
        if (await this.#resumeOne(tenant, id)) resumed.push(id);
      } catch (thrown) {
        // A run that cannot be resumed must not hold up the others; it is tried again when its lease has expired.
        this.#given.log.error('run not resumed', { run: item.key.sk, error: messageOf(thrown) });
      }
    }
    return resumed;
  }

  async close(): Promise<void> {
    this.#closing = true;
    // Runs that are being taken over at this moment are launched first, and then stopped with the others.
    await this.#taking;
    const running = [...this.#active.values()];
    for (const { controller } of running) controller.abort();
    await Promise.allSettled(running.map(({ done }) => done));
  }

  #launch(run: RunBody, saved: SavedPlan, input: ExecutionInput, lease: Lease): void {
    const { clock, engine, turns, onEvent, log } = this.#given;
    const { tenant, run_id: id } = run;
    const controller = new AbortController();
    const asked = new Set<string>();
    const item = { key: activeRunKey(tenant, id), kind: ActiveRunItem };
    const heartbeat = keepLease(this.#given, item, lease);
    const deps: RunDeps = {
      ...this.#deps,
      fence: {
        key: item.key,
        holds: (known) => known !== undefined && isHeld(read(known, ActiveRunItem).lease, lease),
        isLost: () => this.#closing || heartbeat.isLost(),
      },
    };
    const ports: EnginePorts = {
      ...engine,
      now: clock.now,
      name: id,
      tokens: this.#desk,
      signal: controller.signal,
      admit: turns && ((state) => turns.admit(tenant, nodeOf(state, run, saved))),
      task: async (call) => {
        const event = eventOf(call);
        if ('ask' in event) asked.add(run.order[Number(event.ask.slice(1)) - 1] ?? '');
        return { StatusCode: 200, Payload: (await runStep(deps, event, call.signal)) ?? null };
      },
      onEvent: onEvent && ((event) => onEvent(id, event)),
    };
    const work = async (): Promise<void> => {
      const outcome = await interpret(prepareChecked(machineOf(saved).definition), input, ports);
      if (heartbeat.isLost()) return;
      if (this.#closing && outcome.status === 'ABORTED') {
        await changeWhileHeld(this.#given, item, lease, (entry, expires) => [
          put(item.key, ActiveRunItem, { ...entry, lease: releaseLease(lease) }, expires),
        ]);
        return;
      }
      const end = readRunEnd(outcome, run);
      await changeRun(deps, tenant, id, (stored) => endRun(stored, end, clock.now()), false);
      await this.#close(tenant, id, false);
    };
    const unlessTaken = (thrown: unknown): void => {
      if (!isTakenOver(thrown)) throw thrown;
    };
    const done = work()
      .catch(unlessTaken)
      .finally(() => {
        heartbeat.stop();
        this.#active.delete(id);
        if (this.#active.size === 0) this.#watch(false);
      });
    // Callers that await the end get the error, so it needs no other handler.
    done.catch((thrown: unknown) => log.warn('run left to be taken over', { run: id, error: messageOf(thrown) }));
    this.#active.set(id, { tenant, controller, heartbeat, asked, done });
    this.#watch(true);
  }

  #watch(isNeeded: boolean): void {
    if (isNeeded) this.#stopWatching ??= watchRuns(this.#deps, this.#given, this.#active);
    else {
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    }
  }

  async #resumeOne(tenant: string, id: string): Promise<boolean> {
    if (this.#active.has(id)) return false;
    const item = { key: activeRunKey(tenant, id), kind: ActiveRunItem };
    const taken = await acquireItem(this.#given, item, newOwner(this.#given.random));
    if (!taken) return false;
    const stored = await loadRun(this.#deps, tenant, id);
    if (stored?.status !== 'running') {
      await this.#close(tenant, id, true);
      return false;
    }
    await this.#given.settle?.(this, tenant, id, true);
    const saved = await planToRun(this.#deps, tenant, stored.plan_id);
    const machine = machineOf(saved);
    // A newer release may number the states differently; rows are stored by node.
    const { order, hash, inline_bytes } = machine;
    const run = await changeRun(this.#deps, tenant, id, (before) => {
      return { ...before, order: [...order], machine: hash, inline_bytes };
    });
    this.#launch(run, saved, await remainingInput(this.#deps, run, saved), taken.lease);
    if (run.cancel_requested_at !== undefined) this.#active.get(id)?.controller.abort();
    return true;
  }

  /** Removes the entry of a run that has ended, once its calls are settled; until then others may take it over. */
  async #close(tenant: string, id: string, isTakenOver: boolean): Promise<void> {
    const isSettled = (await this.#given.settle?.(this, tenant, id, isTakenOver)) ?? true;
    if (isSettled) await this.#deps.table.write([{ remove: activeRunKey(tenant, id) }]);
  }

  async #see(tenant: string, id: string): Promise<RunView> {
    const found = await loadView(this.#deps, tenant, id);
    if (found === undefined) throw noRun(id);
    return found;
  }
}

const machineOf = ({ plan, tree, predicted }: SavedPlan): PlanMachine =>
  toAsl(plan, tree, { makespan_ms: predicted.makespan_ms });

const eventOf = (call: TaskCall): StepEvent => StepEvent.parse((call.arguments as { Payload: unknown }).Payload);
