import { Fault } from '../kernel/errors.ts';
import type { CallContext, Handler } from '../kernel/ports.ts';
import { inSpan } from '../kernel/trace.ts';
import type { VersionRecord } from '../model/registration.ts';
import { findHandler, type Handlers } from '../registry/layer.ts';
import type { Call, Caller, CallResult, LayerContext } from './call.ts';
import { toCallError } from './call-error.ts';
import { acceptOutput, failure } from './output.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

/** The function behind a version, mocks included. */
export const requireHandler = ({ spec }: VersionRecord, handlers: Handlers): Handler => {
  const { implementation } = spec;
  if (!implementation)
    throw new Fault('Unavailable', `${spec.name} is a spec without an implementation; it can be listed but not run`, {
      tool: spec.name,
    });
  if (implementation.type === 'mock') return { permission: 'safe', run: async () => implementation.mock_response };
  const handler = findHandler(handlers, spec);
  if (handler) return handler;
  throw new Fault(
    'Unavailable',
    `${spec.name} needs the ${implementation.type} handler ${implementation.handler}, which is not loaded here`,
    {
      tool: spec.name,
      handler: implementation.handler,
    },
  );
};

/** The timeout of a version. */
export const timeoutMsOf = ({ spec }: VersionRecord): number =>
  (spec.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;

/** The innermost layer: runs the handler and turns its result or error into an outcome. */
export const runImplementation = async (context: LayerContext, call: Call): Promise<CallResult> => {
  const { type = 'operation' } = call.record.spec.implementation ?? {};
  const { result, durationMs, usage } = await context.gauge.measure(() =>
    inSpan('handler', { implementation: type }, () => runBounded(context, call)),
  );
  const about = { durationMs: round(durationMs), usage, cached: false, chargedMicros: 0 };
  if (result.status === 'fulfilled') return { ...about, status: 'ok', output: result.value };
  // Nothing ran, so it is a refusal, not a failure of the tool.
  if (result.reason instanceof Fault && result.reason.code === 'RateLimited') throw result.reason;
  return { ...about, status: 'failed', error: toCallError(result.reason), thrown: result.reason };
};

/** Runs a handler until it ends, times out, or the caller gives up. */
const runBounded = async (context: LayerContext, call: Call): Promise<unknown> => {
  const { handler, record, args } = call;
  const stop = stopping(context, record, call.signal);
  try {
    const returned = await Promise.race([handler.run(args, new HandlerContext(context, call, stop)), stop.stopped]);
    return acceptOutput(record, returned, context.checkOutput);
  } finally {
    stop.clear();
  }
};

interface Stopping {
  /** Rejects on a timeout or when the caller gives up; never resolves. */
  readonly stopped: Promise<never>;
  /** Created on first use: most tools never read it. */
  signal(): AbortSignal;
  /** Starts the timeout when the call's turn has come. */
  waits(turn: Promise<void>): void;
  clear(): void;
}

const stopping = (
  { timers, recorder }: Pick<LayerContext, 'timers' | 'recorder'>,
  record: VersionRecord,
  given: Caller | undefined,
): Stopping => {
  const [tool, timeoutMs] = [record.spec.name, timeoutMsOf(record)];
  let caller = typeof given === 'function' ? undefined : given;
  let controller: AbortController | undefined;
  let reason: Error | undefined;
  let stopTimer = (): void => {};
  let forget = (): void => {};
  let isWaiting = false;
  let isOver = false;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (why: Error): void => {
    reason = why;
    reject(why);
    controller?.abort(why);
  };
  const cancel = () => stop(failure('Cancelled', `the call of ${tool} was cancelled`));
  const timeOut = () => stop(failure('Timeout', `${tool} did not answer within ${timeoutMs / 1000} s`));
  const startTime = (): void => {
    isWaiting = false;
    // If the turn came at once, the timer is already running; without this, it would outlive the call.
    stopTimer();
    if (!isOver) stopTimer = timers.after(timeoutMs, timeOut);
  };
  const watch = (): void => {
    if (!isWaiting) startTime();
    forget = recorder.onClosing(cancel);
    if (typeof given === 'function') caller = given();
    if (caller?.aborted) cancel();
    else caller?.addEventListener('abort', cancel, { once: true });
  };
  // Most tools answer synchronously or within this turn, so no timer is set for them.
  const later = setImmediate(watch);
  if (caller?.aborted) cancel();
  return {
    stopped,
    signal() {
      if (!controller) {
        controller = new AbortController();
        if (reason) controller.abort(reason);
      }
      return controller.signal;
    },
    waits(turn) {
      isWaiting = true;
      stopTimer();
      void turn.then(startTime);
    },
    clear() {
      isOver = true;
      clearImmediate(later);
      stopTimer();
      forget();
      caller?.removeEventListener('abort', cancel);
    },
  };
};

/**
 * A class because of its getter: V8 keeps the getter of an object literal with the literal's shape in the old
 * generation, which kept every request alive until the next full collection.
 */
class HandlerContext implements CallContext {
  readonly tenant: string;
  readonly callId: string;
  readonly keyId: string;
  readonly log: CallContext['log'];
  readonly tool: CallContext['tool'];
  readonly waits: CallContext['waits'];
  readonly progress: CallContext['progress'];
  readonly client: CallContext['client'];
  readonly allowed: CallContext['allowed'];
  readonly planDepth: number;
  readonly planRoot: string | undefined;
  readonly #stop: Stopping;

  constructor({ log }: LayerContext, { id, actor, record, options }: Call, stop: Stopping) {
    this.tenant = actor.tenant;
    this.callId = id;
    this.keyId = actor.onBehalfOf ?? actor.keyId;
    this.log = log;
    this.tool = { name: record.spec.name, version: record.version };
    this.waits = stop.waits;
    this.progress = options.progress;
    this.client = options.client;
    this.allowed = actor.tools;
    this.planDepth = actor.planDepth ?? 0;
    this.planRoot = actor.planRoot;
    this.#stop = stop;
  }

  get signal(): AbortSignal {
    return this.#stop.signal();
  }
}

const round = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
