import type { ExecuteContext } from '../execute/call.ts';
import { toCallError } from '../execute/call-error.ts';
import { cutValue } from '../execute/cut-values.ts';
import { isAlreadyEnded } from '../execute/earlier-call.ts';
import type { Reservation } from '../execute/meter.ts';
import { acceptOutput, failure } from '../execute/output.ts';
import { Fault } from '../kernel/errors.ts';
import { callKey } from '../kernel/item-keys.ts';
import { read } from '../kernel/stored.ts';
import type { CallError } from '../model/call.ts';
import { endedCall, isReserved, ReservedCallItem } from '../model/call-record.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { RunView } from '../model/run.ts';
import { resolveVersion } from '../registry/versions.ts';
import { closeDeferredCall, type DeferredCall, readDeferredCall } from './deferred-call.ts';
import { outputOfRun } from './plan-tool.ts';
import type { Runs } from './runs.ts';

/**
 * Runs that settle the calls handed over to them: whoever first sees that a run has ended or timed out charges and
 * records its call. On AWS the end of an execution is an event that makes the step function look.
 */
export const settlingRuns = (context: ExecuteContext, runs: Runs): Runs => {
  const seen = async (tenant: string, view: RunView): Promise<RunView> => {
    const call = await readDeferredCall(context.table, tenant, view.run_id);
    if (!call || call.settled) return view;
    const isLate = context.clock.now() >= call.deadline;
    if (call.fee) {
      if (isLate) await settle(context, tenant, view);
      return view;
    }
    const now = isLate && view.status === 'running' ? await runs.cancel(tenant, view.run_id) : view;
    if (now.status !== 'running') await settle(context, tenant, now);
    return now;
  };
  return {
    start: (request) => runs.start(request),
    async view(tenant, id) {
      const view = await runs.view(tenant, id);
      return view && seen(tenant, view);
    },
    confirm: async (tenant, id, node, decision) => seen(tenant, await runs.confirm(tenant, id, node, decision)),
    cancel: async (tenant, id) => seen(tenant, await runs.cancel(tenant, id)),
  };
};

/**
 * Settles the call that a run completes, or the one that started it; returns whether everything is settled. The fee of
 * the start is left to the process that started the run, unless that process died.
 */
export const settleRun = async (
  context: ExecuteContext,
  runs: Pick<Runs, 'view'>,
  tenant: string,
  id: string,
  isTakenOver: boolean,
): Promise<boolean> => {
  const call = await readDeferredCall(context.table, tenant, id);
  if (!call || call.settled) return true;
  const row = call.fee && (await context.table.get(callKey(tenant, call.record.call_id)));
  if (call.fee && !isTakenOver && (!row || isReserved(row))) return false;
  const view = await runs.view(tenant, id);
  if (view && (call.fee || view.status !== 'running')) await settle(context, tenant, view);
  return true;
};

/** A call's outcome, derived from its run. */
export type RunOutcome =
  | { readonly status: 'ok'; readonly output: unknown }
  | { readonly status: 'failed'; readonly error: CallError };

/** What the caller would have been answered if it had waited for the run. */
export const outcomeOfRun = async (
  context: ExecuteContext,
  tenant: string,
  view: RunView,
  call: DeferredCall | undefined,
): Promise<RunOutcome> => {
  try {
    if (call && isTimedOut(view, call)) throw timeUp(call);
    const output = outputOfRun(view);
    const record = call && (await versionOf(context, tenant, call));
    return { status: 'ok', output: record ? acceptOutput(record, output, context.checkOutput) : output };
  } catch (thrown) {
    const { type, message } = toCallError(thrown);
    return { status: 'failed', error: { type, message } };
  }
};

const settle = async (context: ExecuteContext, tenant: string, view: RunView): Promise<void> => {
  const call = await readDeferredCall(context.table, tenant, view.run_id);
  if (!call || call.settled) return;
  const { record } = call;
  const outcome = call.fee
    ? ({ status: 'ok', output: record.output } as const)
    : await outcomeOfRun(context, tenant, view, call);
  await context.meter.hold(call.reservation.call);
  const reservation = outcome.status === 'ok' ? await reserveIfLapsed(context, tenant, call) : call.reservation;
  const charged = context.meter.priceOf(reservation, { status: outcome.status, cached: false });
  const { output: _, ...about } = record;
  const kept = {
    ...about,
    ...(outcome.status === 'ok'
      ? { output: await shown(context, tenant, call, outcome.output) }
      : { error: outcome.error }),
    status: outcome.status,
    duration_ms: call.fee ? 0 : Math.max(0, endOf(view) - Date.parse(record.at)),
    // The nodes have call records of their own.
    cpu_percent: 0,
    charged_micros: charged,
  };
  try {
    const counted = await context.recorder.keepOnce(tenant, kept, reservation.quota !== undefined);
    await context.meter.release(reservation, { status: outcome.status, chargedMicros: charged }, counted);
  } catch (thrown) {
    // Another process that saw the end has settled it, or the reservation had lapsed before.
    if (!isAlreadyEnded(thrown)) throw thrown;
  }
  await closeDeferredCall(context.table, tenant, view.run_id);
};

/** The call's reservation; made again if it lapsed while no process held the run, and the quota still allows it. */
const reserveIfLapsed = async (
  { table, meter }: ExecuteContext,
  tenant: string,
  { record, reservation }: DeferredCall,
): Promise<Reservation> => {
  const item = await table.get(callKey(tenant, record.call_id));
  const isRenewed = item !== undefined && isReserved(item) && read(item, ReservedCallItem).renewed === true;
  if (!isRenewed && endedCall(item)?.status !== 'interrupted') return reservation;
  try {
    return await meter.reserve(reservation.call);
  } catch (thrown) {
    if (thrown instanceof Fault && (thrown.code === 'PaymentRequired' || isAlreadyEnded(thrown))) return reservation;
    throw thrown;
  }
};

const shown = async (
  context: ExecuteContext,
  tenant: string,
  call: DeferredCall,
  output: unknown,
): Promise<unknown> => {
  const record = await versionOf(context, tenant, call);
  return cutValue(record ? context.redact.output(record, output) : output);
};

/** The definition that was called, unless it has since been removed. */
const versionOf = async (
  { catalogs }: ExecuteContext,
  tenant: string,
  { record: { tool, version } }: DeferredCall,
): Promise<VersionRecord | undefined> => {
  const entry = (await catalogs.of(tenant)).catalog.get(tool);
  return entry && resolveVersion(entry.family, version);
};

const endOf = ({ ended_at, started_at }: RunView): number => Date.parse(ended_at ?? started_at);

const isTimedOut = (view: RunView, { deadline }: DeferredCall): boolean =>
  view.status === 'cancelled' && endOf(view) >= deadline;

const timeUp = ({ record, deadline }: DeferredCall): Error =>
  failure('Timeout', `${record.tool} did not answer within ${(deadline - Date.parse(record.at)) / 1000} s`);
