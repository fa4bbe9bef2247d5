import type { CallOptions } from '../execute/call.ts';
import { type ExecuteContext, executeTool } from '../execute/execute.ts';
import { timeoutMsOf } from '../execute/run-handler.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Invocation, Outcome } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { RunView } from '../model/run.ts';
import { deferring, type Started } from './deferring.ts';
import { keepHandedCall } from './handed-call.ts';
import { PLAN_HANDLER_PREFIX, untilEnded } from './plan-tool.ts';
import type { Runs } from './runs.ts';

/** The run that goes on; or the outcome, where it came at once. */
export type Handed = { readonly run: RunView } | { readonly outcome: Outcome };

export interface PlanCall extends Omit<Invocation, 'name' | 'version'> {
  readonly tool: VersionRecord;
  readonly planId: string;
}

/** The plan behind a tool, where it was registered from one. */
export const planOf = ({ spec: { implementation } }: VersionRecord): string | undefined => {
  const handler = implementation?.type === 'internal' ? implementation.handler : '';
  return handler.startsWith(PLAN_HANDLER_PREFIX) ? handler.slice(PLAN_HANDLER_PREFIX.length) : undefined;
};

/**
 * Calls a plan's tool through the layers of every call and answers as soon as its run is under way. What it costs is
 * reserved as for any call; it is charged and recorded when the end of the run is seen.
 */
export const handOver = async (
  context: ExecuteContext,
  runs: Runs,
  actor: Actor,
  { tool, planId, ...asked }: PlanCall,
  signal: AbortSignal,
  options: CallOptions,
): Promise<Handed> => {
  const started: Started = {};
  const invocation = { ...asked, name: tool.spec.name, version: tool.version };
  const outcome = await executeTool(deferring(context, runs, planId, started), actor, invocation, signal, options);
  const { run, record, reservation } = started;
  if (!run || !record || !reservation) return { outcome };
  const timeoutMs = timeoutMsOf(tool);
  const deadline = Date.parse(record.at) + timeoutMs;
  try {
    await keepHandedCall(context.table, actor.tenant, run.run_id, { record, reservation, deadline });
  } catch (thrown) {
    await runs.cancel(actor.tenant, run.run_id);
    await context.meter.abandon(reservation);
    throw thrown;
  }
  if (run.engine === 'local') watch(context, runs, actor.tenant, run, timeoutMs);
  return { run };
};

/** A run of this process is seen to end by it; others when somebody asks. */
const watch = ({ log }: ExecuteContext, runs: Runs, tenant: string, run: RunView, timeoutMs: number): void =>
  void untilEnded(runs, tenant, run, AbortSignal.timeout(timeoutMs), { ref: false }).catch((thrown: unknown) =>
    log.warn('a run is no longer watched', { run_id: run.run_id, error: messageOf(thrown) }),
  );
