import { effectivePermission } from '../access/permission.ts';
import { requireScope } from '../access/scopes.ts';
import type { Invocation, Outcome } from '../model/call.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import type { Call, Caller, CallOptions, CallResult, ExecuteContext, Next } from './call.ts';
import { answeredBefore, callTime, earlierCall, interrupted, isAlreadyEnded, isIdempotent } from './earlier-call.ts';
import { runThroughLayers } from './layers.ts';
import { toMetered } from './meter.ts';
import { recordCalls } from './monitor.ts';
import { resolveTool } from './resolve.ts';
import { requireHandler, runImplementation } from './run-handler.ts';

export type { CallOptions, ExecuteContext } from './call.ts';

/** Runs a tool through the layers and returns its outcome; a refusal is recorded, then thrown. */
export const executeTool = async (
  context: ExecuteContext,
  actor: Actor,
  invocation: Invocation,
  signal?: Caller,
  options: CallOptions = {},
): Promise<Outcome> => {
  const { once } = options;
  if (!once) return tryTool(context, actor, invocation, signal, options);
  let { answer } = once;
  const answered = async (output: unknown): Promise<void> => {
    answer = { output };
    await options.answered?.(output);
  };
  try {
    return await tryTool(context, actor, invocation, signal, { ...options, answered });
  } catch (thrown) {
    if (!isAlreadyEnded(thrown) || once.isLost?.()) throw thrown;
    // The reservation lapsed while the tool ran: the call is resumed like an interrupted one, with the answer it has.
    const resumed = { ...options, once: { ...once, earlier: 'cut off', answer } } as const;
    return tryTool(context, actor, invocation, signal, resumed);
  }
};

const tryTool = async (
  context: ExecuteContext,
  actor: Actor,
  invocation: Invocation,
  signal: Caller | undefined,
  options: CallOptions,
): Promise<Outcome> => {
  requireScope(actor, 'invoke');
  const { record, isEnabled, disabledReason } = await resolveTool(context, actor, invocation);
  const { once } = options;
  const earlier = await earlierCall(context, actor.tenant, once);
  const { answer } = once ?? {};
  // A call that lapsed is resumed under its id, if running it again is harmless.
  const isLapsed = earlier?.status === 'interrupted' && (answer !== undefined || isIdempotent(record));
  // The record truncates long values, so the stored answer is used where there is one.
  if (earlier && !isLapsed) return { ...repeatOutcome(earlier), ...(earlier.status === 'ok' ? answer : {}) };
  const handler = requireHandler(record, context.handlers());
  const call: Call = {
    id: once?.id ?? context.clock.newId(),
    at: callTime(context, once),
    actor,
    record,
    isEnabled,
    disabledReason,
    handler,
    permission: effectivePermission(handler, record.spec),
    invocation,
    args: (invocation.arguments ?? {}) as Call['args'],
    priceMicros: record.spec.price_micros,
    signal,
    options,
  };
  if (answer) return toOutcome(call, await runThroughLayers(context, call, async () => answeredBefore(answer.output)));
  // A person consented to one run: an interrupted call that used the consent must not run again with it.
  if (earlier && call.permission === 'confirm') return repeatOutcome(earlier);
  if (once?.earlier === 'cut off' && (call.permission === 'confirm' || !isIdempotent(record)))
    return toOutcome(call, await endInterrupted(context, call));
  const run: Next = async (given) => {
    const result = await runImplementation(context, given);
    if (result.status === 'ok') await options.answered?.(result.output);
    return result;
  };
  return toOutcome(call, await runThroughLayers(context, call, run));
};

/** Ends an interrupted call; what its process had counted for it is corrected by a recount. */
const endInterrupted = async (context: ExecuteContext, call: Call): Promise<CallResult> => {
  const metered = toMetered(call);
  await context.meter.hold(metered);
  const result = await recordCalls(context, call, async () => interrupted(call.record.spec.name));
  await context.meter.disown(metered);
  return result;
};

/** The outcome as recorded, without secrets and long values. */
const repeatOutcome = ({ call_id, tool, version, status, output, error, ...rest }: CallRecord): Outcome => ({
  call_id,
  tool,
  version,
  status: status === 'refused' ? 'failed' : status,
  ...(error ? { error: { type: error.type, message: error.message } } : { output }),
  duration_ms: rest.duration_ms,
  cached: rest.cached,
  charged_micros: rest.charged_micros,
});

const toOutcome = ({ id, record }: Call, result: CallResult): Outcome => ({
  call_id: id,
  tool: record.spec.name,
  version: record.version,
  status: result.status,
  ...(result.error ? { error: { type: result.error.type, message: result.error.message } } : { output: result.output }),
  duration_ms: result.durationMs,
  cached: result.cached,
  charged_micros: result.chargedMicros,
});
