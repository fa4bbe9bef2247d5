import type { ExecuteContext } from '../execute/execute.ts';
import type { Reservation } from '../execute/meter.ts';
import { failure } from '../execute/output.ts';
import type { Handler } from '../kernel/ports.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { RunView } from '../model/run.ts';
import { outputOfRun, PLAN_HANDLER_PREFIX, startPlan } from './plan-tool.ts';
import type { Runs } from './runs.ts';

/** What the layers admitted, filled in as they run. Without a run the call has ended. */
export interface Started {
  run?: RunView;
  record?: CallRecord;
  reservation?: Reservation;
}

/** The context of a call that ends when its run starts: nothing is charged, recorded or cached yet. */
export const deferring = (context: ExecuteContext, runs: Runs, planId: string, started: Started): ExecuteContext => {
  const { meter, recorder, cache, checkOutput } = context;
  const handler = startingHandler(runs, planId, started);
  return {
    ...context,
    handlers: () => ({ builtin: new Map(), internal: new Map([[PLAN_HANDLER_PREFIX + planId, handler]]) }),
    meter: {
      price: meter.price,
      async reserve(call) {
        const { remaining, ...kept } = await meter.reserve(call);
        started.reservation = kept;
        return remaining === undefined ? kept : { ...kept, remaining };
      },
      priceOf: (reservation, settled) => (started.run ? 0 : meter.priceOf(reservation, settled)),
      release: (reservation, ended, counted) => (started.run ? undefined : meter.release(reservation, ended, counted)),
      abandon: meter.abandon,
    },
    recorder: {
      ...recorder,
      keep(tenant, record, isUrgent) {
        if (!started.run) return recorder.keep(tenant, record, isUrgent);
        started.record = record;
        return undefined;
      },
      async keepOnce(tenant, record, isReserved) {
        if (!started.run) return recorder.keepOnce(tenant, record, isReserved);
        started.record = record;
        return undefined;
      },
    },
    cache: { get: cache.get, set: (key, text) => void (started.run || cache.set(key, text)) },
    checkOutput: (record, output) => (started.run ? [] : checkOutput(record, output)),
  };
};

/** Starts a plan's run as the work of its tool; one that has already ended is an ordinary call. */
const startingHandler = (runs: Runs, planId: string, started: Started): Handler => ({
  permission: 'safe',
  async run(input, context) {
    const view = await startPlan(runs, planId, input, context);
    if (context.signal.aborted) {
      await runs.cancel(context.tenant, view.run_id);
      throw failure('Cancelled', `the call of ${context.tool.name} was cancelled`);
    }
    if (view.status !== 'running') return outputOfRun(view);
    started.run = view;
    return {};
  },
});
