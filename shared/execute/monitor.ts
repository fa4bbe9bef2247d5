import { Fault, shorten } from '../kernel/errors.ts';
import type { ResourceUsage } from '../kernel/ports.ts';
import { currentTraceId, inSpan } from '../kernel/trace.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { Call, CallLayer, CallResult, LayerContext, Next } from './call.ts';
import { MAX_MESSAGE } from './call-error.ts';
import { cutValue } from './cut-values.ts';
import { isAlreadyEnded, isLost, takenOver } from './earlier-call.ts';
import { REDACTED } from './redact.ts';

/** Records every call, whether it ran or was refused. */
export const recordCalls: CallLayer = async (context, call, next) => {
  const end = context.recorder.begin();
  try {
    const ran = await runOrRefuse(context, call, next);
    // Calls that are cancelled together end in one turn, and each record may hash megabytes of arguments.
    if (ran.status !== 'ok') await context.turns.enter(call.actor.tenant)?.catch(recordNow);
    if (isLost(call)) throw takenOver(call);
    await inSpan('record', {}, () => keepEnd(context, call, ran));
    return ran;
  } finally {
    end();
  }
};

/** A call that ran is recorded even where too many wait. */
const recordNow = (): void => {};

/** Stores the record, which decides who settles the call, and then returns the unused part of the reservation. */
const keepEnd = async (context: LayerContext, call: Call, ran: CallResult): Promise<void> => {
  const { meter, recorder } = context;
  const record = toRecord(context, call, ran);
  const { reservation } = ran;
  if (reservation?.quota === undefined && call.options.once === undefined) {
    await recorder.keep(call.actor.tenant, record, ran.chargedMicros > 0);
    return;
  }
  try {
    const counted = await recorder.keepOnce(call.actor.tenant, record);
    if (reservation) await meter.release(reservation, ran, counted);
  } catch (thrown) {
    // Whoever ended the call may not know that it was counted here.
    if (reservation && isAlreadyEnded(thrown)) await meter.disown(reservation.call);
    throw thrown;
  }
};

const runOrRefuse = async (context: LayerContext, call: Call, next: Next): Promise<CallResult> => {
  try {
    return await next(call);
  } catch (thrown) {
    if (thrown instanceof Fault && !isLost(call)) await keepRefusal(context, call, thrown);
    throw thrown;
  }
};

const keepRefusal = async (context: LayerContext, call: Call, fault: Fault): Promise<void> => {
  const { name } = call.record.spec;
  context.log.warn('call refused', {
    call_id: call.id,
    tool: name,
    tenant: call.actor.tenant,
    key: call.actor.keyId,
    code: fault.code,
    reason: shorten(fault.message, MAX_MESSAGE),
  });
  // Arguments that do not match the schema may have a secret under another name.
  const isUnread = fault.code === 'InvalidInput' && context.redact.hasSecrets(call.record);
  const record: CallRecord = {
    ...aboutCall(call),
    arguments: isUnread ? REDACTED : shown(context.redact.arguments(call.record, call.args)),
    status: 'refused',
    error: { type: fault.code, message: shorten(fault.message, MAX_MESSAGE) },
    ...measures(0, nothing),
    cached: false,
    charged_micros: 0,
  };
  await context.recorder.keep(call.actor.tenant, record, false);
};

const toRecord = ({ redact }: LayerContext, call: Call, ran: CallResult): CallRecord => ({
  ...aboutCall(call),
  arguments: shown(redact.arguments(call.record, call.args)),
  status: ran.status,
  ...(ran.error ? { error: ran.error } : { output: cutValue(redact.output(call.record, ran.output)) }),
  ...measures(ran.durationMs, ran.usage),
  cached: ran.cached,
  charged_micros: ran.chargedMicros,
});

const aboutCall = ({ id, at, actor, record, options }: Call) => ({
  call_id: id,
  tool: record.spec.name,
  version: record.version,
  attempts: options.attempt ?? 1,
  key: actor.keyId,
  at: new Date(at).toISOString(),
  request_id: options.requestId,
  trace_id: currentTraceId(),
});

const nothing: ResourceUsage = { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 };

const measures = (durationMs: number, { cpuMs, memoryDeltaBytes, memoryPeakBytes }: ResourceUsage) => ({
  duration_ms: durationMs,
  cpu_ms: Math.round(cpuMs * 1000) / 1000,
  cpu_percent: durationMs > 0 ? Math.round((cpuMs / durationMs) * 1000) / 10 : 0,
  memory_delta_bytes: memoryDeltaBytes,
  memory_peak_bytes: memoryPeakBytes,
});

const shown = (value: unknown): unknown => cutValue(value ?? null);
