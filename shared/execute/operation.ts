import { Fault } from '../kernel/errors.ts';
import type { Handler } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Call, Caller, CallOptions, LayerContext, Next } from './call.ts';
import { callTime, earlierCall } from './earlier-call.ts';
import { runThroughLayers } from './layers.ts';
import { runImplementation } from './run-handler.ts';

/** A priced request that is not a call of one registered tool: scoring an image, deciding, starting a run. */
export interface Operation<T> {
  readonly name: string;
  /** As recorded: images by digest or key, never their bytes. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly priceMicros: number;
  readonly work: (signal: AbortSignal) => Promise<WorkResult<T>>;
}

export interface WorkResult<T> {
  readonly value: T;
  /** The output as recorded. */
  readonly output: unknown;
  readonly cached?: boolean;
  /** The actual price, where it is less than the reservation. */
  readonly actualMicros?: number | undefined;
}

export interface OperationResult<T> {
  readonly value: T;
  readonly callId: string;
  readonly chargedMicros: number;
}

/** The version of operations in records and in the ledger. */
export const OPERATION = 'operation';
/** The longest timeout of any tool; recounts of a quota rely on it. */
const TIMEOUT_SECONDS = 900;

/** Runs an operation through the same layers as every call. Errors are recorded and rethrown. */
export const runOperation = async <T>(
  context: LayerContext,
  actor: Actor,
  operation: Operation<T>,
  signal?: Caller,
  options: CallOptions = {},
): Promise<OperationResult<T>> => {
  const earlier = await earlierCall(context, actor.tenant, options.once);
  // Operations are idempotent: a repeated one is computed again, but not charged again.
  if (earlier?.status === 'ok') {
    const { value } = await operation.work(limitSignal(signal));
    return { value, callId: earlier.call_id, chargedMicros: earlier.charged_micros };
  }
  let worked: WorkResult<T> | undefined;
  const handler: Handler = {
    permission: 'safe',
    async run(_, call) {
      worked = await operation.work(call.signal);
      return worked.output;
    },
  };
  const implementation: Next = async (call) => {
    const result = await runImplementation(context, call);
    const { cached = false, actualMicros } = worked ?? {};
    return result.status === 'ok' ? { ...result, cached, actualMicros } : result;
  };
  const call: Call = {
    id: options.once?.id ?? context.clock.newId(),
    at: callTime(context, options.once),
    actor,
    record: makeOperationRecord(operation.name),
    isEnabled: true,
    handler,
    permission: 'safe',
    invocation: { name: operation.name, arguments: operation.arguments },
    args: operation.arguments,
    priceMicros: operation.priceMicros,
    signal,
    options,
  };
  const { status, thrown, chargedMicros } = await runThroughLayers(context, call, implementation);
  if (status === 'ok' && worked) return { value: worked.value, callId: call.id, chargedMicros };
  throw thrown instanceof Error && ENDED_EARLY.has(thrown.name)
    ? new Fault('ToolExecutionError', thrown.message, {}, { cause: thrown })
    : thrown;
};

/** How an operation is ended from outside: no error of its own. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['Timeout', 'Cancelled']);

const limitSignal = (caller: Caller | undefined): AbortSignal => {
  const given = typeof caller === 'function' ? caller() : caller;
  const limit = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  return given === undefined ? limit : AbortSignal.any([given, limit]);
};

const makeOperationRecord = (name: string): VersionRecord => ({
  version: OPERATION,
  digest: `${OPERATION} ${name}`,
  spec: { name, type: 'function', parameters: {}, tags: [], timeout_seconds: TIMEOUT_SECONDS },
});
