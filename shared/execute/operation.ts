import { Fault } from '../kernel/errors.ts';
import type { Handler } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Call, Caller, CallOptions, LayerContext, Next } from './call.ts';
import { runThroughLayers } from './layers.ts';
import { runImplementation } from './run-handler.ts';

/** A priced request that is not the call of one registered tool: scoring a picture, deciding, starting a run. */
export interface Operation<T> {
  readonly name: string;
  /** As the record shows them: pictures by digest or key, never by their bytes. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly priceMicros: number;
  /** Names the call where the same work may be tried again. */
  readonly id?: string | undefined;
  readonly work: (signal: AbortSignal) => Promise<Worked<T>>;
}

export interface Worked<T> {
  readonly value: T;
  /** What the record shows of it. */
  readonly output: unknown;
  readonly cached?: boolean;
  /** The price of what was done, where that is less than what was reserved. */
  readonly actualMicros?: number | undefined;
}

export interface Operated<T> {
  readonly value: T;
  readonly chargedMicros: number;
}

/** The version under which operations stand in records and in the ledger. */
const OPERATION = 'operation';
/** As long as any tool may run; recounting a quota relies on it. */
const TIMEOUT_SECONDS = 900;

/** Runs an operation through the layers of every call. What the work throws is recorded, and thrown again. */
export const runOperation = async <T>(
  context: LayerContext,
  actor: Actor,
  operation: Operation<T>,
  signal?: Caller,
  options: CallOptions = {},
): Promise<Operated<T>> => {
  let worked: Worked<T> | undefined;
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
    id: operation.id ?? context.clock.newId(),
    at: context.clock.now(),
    actor,
    record: recordOf(operation.name),
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
  if (status === 'ok' && worked) return { value: worked.value, chargedMicros };
  throw thrown instanceof Error && thrown.name === 'Timeout'
    ? new Fault('ToolExecutionError', thrown.message, {}, { cause: thrown })
    : thrown;
};

const recordOf = (name: string): VersionRecord => ({
  version: OPERATION,
  digest: `${OPERATION} ${name}`,
  spec: { name, type: 'function', parameters: {}, tags: [], timeout_seconds: TIMEOUT_SECONDS },
});
