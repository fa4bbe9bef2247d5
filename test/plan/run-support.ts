import { randomBytes } from 'node:crypto';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { RunView } from '../../shared/model/run.ts';
import type { LocalRunDeps } from '../../shared/plan/local-run-deps.ts';
import { createLocalRuns } from '../../shared/plan/local-runs.ts';
import type { NodeCall, NodeOutcome } from '../../shared/plan/run-deps.ts';
import { loadRun, savePlan } from '../../shared/plan/run-store.ts';
import { recordingLog } from '../support/recording-log.ts';
import { named } from './engine-support.ts';
import { answerOf, type Fates } from './evaluator.ts';
import { compileForRuns } from './run-plan.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

export interface World extends LocalRunDeps {
  readonly time: VirtualTime;
}

/** A world in memory and virtual time. */
export function aWorld(
  execute: (call: NodeCall, time: VirtualTime) => Promise<NodeOutcome>,
  more: Partial<LocalRunDeps> = {},
): World {
  const time = virtualTime();
  let ids = 0;
  return {
    time,
    table: memoryTable({ now: time.now }),
    blobs: memoryBlobs(),
    clock: { now: time.now, newId: () => `id-${String(++ids).padStart(6, '0')}` },
    engine: { sleep: time.sleep, random: () => 0.5 },
    timers: time.timers,
    random: (bytes) => randomBytes(bytes),
    log: recordingLog(),
    execute: (call) => execute(call, time),
    ...more,
  };
}

export interface Witnessed {
  readonly view: RunView;
  readonly calls: readonly NodeCall[];
}

/** Runs a plan in which each node meets its fate. */
export async function runToFate(plan: Plan, fates: Fates): Promise<Witnessed> {
  const calls: NodeCall[] = [];
  const saved = compileForRuns(plan);
  const world = aWorld(
    async (call) => {
      calls.push(call);
      const failure = fates.get(call.node.id)?.failures[call.attempt - 1];
      if (failure === undefined) return { status: 'ok', output: answerOf(call.arguments) };
      if (failure === 'hang') return new Promise(() => {});
      if (failure === 'InvalidInput') throw new Fault('InvalidInput', 'not like this');
      if (failure === 'ToolExecutionError') return { status: 'failed', error: { type: failure, message: 'it broke' } };
      throw named(failure);
    },
    {
      onEvent: (run, event) => {
        const number = /^a(\d+)$/.exec(event.state)?.[1];
        if (event.type !== 'entered' || number === undefined) return;
        const decide = async (): Promise<void> => {
          const node = (await loadRun(world, 'default', run))?.order[Number(number) - 1] ?? '';
          const answer = fates.get(node)?.answer ?? 'approve';
          if (answer === 'silence') return;
          await runs.confirm('default', run, node, { approve: answer === 'approve', approver: 'key-1' });
        };
        // A sibling may have stopped the run in the meantime.
        void world.time
          .sleep(50, new AbortController().signal)
          .then(decide)
          .catch(() => {});
      },
    },
  );
  const runs = createLocalRuns(world);
  await savePlan(world, 'default', saved);
  const { run_id: id } = await runs.start({ tenant: 'default', plan_id: plan.plan_id });
  return { view: await runs.ended('default', id), calls };
}
