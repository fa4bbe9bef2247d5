import type { ExecuteContext } from '../execute/execute.ts';
import type { Reservation } from '../execute/meter.ts';
import type { Handler, Timers } from '../kernel/ports.ts';
import { PLAN_HANDLER_PREFIX } from '../model/plan.ts';
import type { RunView } from '../model/run.ts';
import type { DeferredCall } from './deferred-call.ts';
import { outputOfRun, startPlan, untilEnded } from './plan-tool.ts';
import type { Runs } from './runs.ts';

/** What the layers have admitted, filled in while they run. Without a run, the call has ended. */
export interface Started {
  run?: RunView;
  reservation?: Reservation;
}

export interface Deferred {
  readonly planId: string;
  readonly started: Started;
  /** The call to store with its run: whichever process sees the run end charges and records it. */
  readonly toCall: (reservation: Reservation) => DeferredCall;
}

/** The context of a call that returns when its run has started: nothing is charged, recorded or cached yet. */
export const deferring = (context: ExecuteContext, runs: Runs, deferred: Deferred): ExecuteContext => {
  const { meter, recorder, cache, checkOutput } = context;
  const { planId, started } = deferred;
  const handler = startingHandler(runs, context.timers, deferred);
  return {
    ...context,
    handlers: () => ({ builtin: new Map(), internal: new Map([[PLAN_HANDLER_PREFIX + planId, handler]]) }),
    meter: {
      ...meter,
      async reserve(call) {
        const { remaining, ...kept } = await meter.reserve(call);
        started.reservation = kept;
        return remaining === undefined ? kept : { ...kept, remaining };
      },
      priceOf: (reservation, settled) => (started.run ? 0 : meter.priceOf(reservation, settled)),
      release: (reservation, ended, counted) => (started.run ? undefined : meter.release(reservation, ended, counted)),
    },
    recorder: {
      ...recorder,
      keep: (tenant, record, isUrgent) => (started.run ? undefined : recorder.keep(tenant, record, isUrgent)),
      keepOnce: async (tenant, record, isReserved) =>
        started.run ? undefined : recorder.keepOnce(tenant, record, isReserved),
    },
    cache: { get: cache.get, set: (key, text) => void (started.run || cache.set(key, text)) },
    checkOutput: (record, output) => (started.run ? [] : checkOutput(record, output)),
  };
};

/** A handler whose work is to start a plan's run. */
const startingHandler = (runs: Runs, timers: Timers, { planId, started, toCall }: Deferred): Handler => ({
  permission: 'safe',
  async run(input, context) {
    const { reservation } = started;
    const view = await startPlan(runs, planId, input, context, reservation && toCall(reservation));
    // Without a reservation nobody settles the call later, so this one waits for the run like any other call.
    if (!reservation) return outputOfRun(await untilEnded({ runs, timers }, context.tenant, view, context.signal));
    started.run = context.signal.aborted ? await runs.cancel(context.tenant, view.run_id) : view;
    return {};
  },
});
