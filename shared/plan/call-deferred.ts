import type { CallOptions } from '../execute/call.ts';
import { type ExecuteContext, executeTool } from '../execute/execute.ts';
import type { Reservation } from '../execute/meter.ts';
import { timeoutMsOf } from '../execute/run-handler.ts';
import { messageOf } from '../kernel/errors.ts';
import { callKey } from '../kernel/item-keys.ts';
import type { Invocation, Outcome } from '../model/call.ts';
import { endedCall } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import { PLAN_HANDLER_PREFIX } from '../model/plan.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { RunView } from '../model/run.ts';
import { type DeferredCall, readDeferredCall, startedRecord } from './deferred-call.ts';
import { deferring, type Started } from './deferring.ts';
import { untilEnded } from './plan-tool.ts';
import type { Runs } from './runs.ts';
import { outcomeOfRun } from './settle-calls.ts';

/** The run, or the outcome if it ended at once. */
export type DeferredResult = { readonly run: RunView } | { readonly outcome: Outcome };

export interface PlanCall extends Omit<Invocation, 'name' | 'version'> {
  readonly tool: VersionRecord;
  readonly planId: string;
}

/** The plan behind a tool, where it was registered from one. */
export const findPlanId = ({ spec: { implementation } }: VersionRecord): string | undefined => {
  const handler = implementation?.type === 'internal' ? implementation.handler : '';
  return handler.startsWith(PLAN_HANDLER_PREFIX) ? handler.slice(PLAN_HANDLER_PREFIX.length) : undefined;
};

/**
 * Calls a plan's tool through the layers of every call and returns as soon as its run has started. Its price is
 * reserved as for any call; the call is charged and recorded when the run is seen to have ended.
 */
export const callDeferred = async (
  context: ExecuteContext,
  runs: Runs,
  actor: Actor,
  { tool, planId, ...asked }: PlanCall,
  signal: AbortSignal,
  options: CallOptions,
): Promise<DeferredResult> => {
  const started: Started = {};
  const invocation = { ...asked, name: tool.spec.name, version: tool.version };
  const timeoutMs = timeoutMsOf(tool);
  const toCall = (reservation: Reservation): DeferredCall => {
    const { call } = reservation;
    const args = context.redact.arguments(tool, (asked.arguments ?? {}) as Readonly<Record<string, unknown>>);
    return { record: startedRecord(call, args, options), reservation, deadline: call.at + timeoutMs };
  };
  const deferred = deferring(context, runs, { planId, started, toCall });
  const outcome = await executeTool(deferred, actor, invocation, signal, options);
  const { run } = started;
  if (!run) return { outcome };
  if (run.status !== 'running') return { outcome: await outcomeOfEnded(context, runs, actor.tenant, run, outcome) };
  if (run.engine === 'local') watch(context, runs, actor.tenant, run, timeoutMs);
  return { run };
};

/** The outcome of a run that ended before it could be handed over; viewing the run settles its call. */
const outcomeOfEnded = async (
  context: ExecuteContext,
  runs: Runs,
  tenant: string,
  run: RunView,
  { output: _, ...about }: Outcome,
): Promise<Outcome> => {
  const view = (await runs.view(tenant, run.run_id)) ?? run;
  const call = await readDeferredCall(context.table, tenant, run.run_id);
  const record = endedCall(await context.table.get(callKey(tenant, about.call_id)));
  const ended = await outcomeOfRun(context, tenant, view, call);
  return { ...about, ...ended, charged_micros: record?.charged_micros ?? 0 };
};

/**
 * Waits for the end of a run of this process, so that its call is settled then; without it, a later view settles it.
 */
const watch = ({ log, timers }: ExecuteContext, runs: Runs, tenant: string, run: RunView, timeoutMs: number): void =>
  void untilEnded({ runs, timers }, tenant, run, AbortSignal.timeout(timeoutMs), { ref: false }).catch(
    (thrown: unknown) => log.warn('a run is no longer watched', { run_id: run.run_id, error: messageOf(thrown) }),
  );
