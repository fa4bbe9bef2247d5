import { effectivePermission } from '../access/permission.ts';
import type { Invocation, Outcome } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import { answerFromCache } from './cache.ts';
import type { Call, Caller, CallLayer, CallOptions, ExecuteContext, Next, Ran } from './call.ts';
import { chargeCalls } from './meter.ts';
import { recordCalls } from './monitor.ts';
import { askPermission } from './permission.ts';
import { refuseUnrunnable, resolveTool } from './resolve.ts';
import { handlerOf, runImplementation } from './run-handler.ts';
import { checkCalls } from './validate.ts';

export type { CallOptions, ExecuteContext } from './call.ts';

/** Outermost first: what refuses a call comes before what costs anything. */
const layers: readonly CallLayer[] = [
  recordCalls,
  refuseUnrunnable,
  checkCalls,
  askPermission,
  chargeCalls,
  answerFromCache,
];

/** Runs a tool through the layers and tells what came of it; a refusal is thrown, and recorded too. */
export const executeTool = async (
  context: ExecuteContext,
  actor: Actor,
  invocation: Invocation,
  signal?: Caller,
  options: CallOptions = {},
): Promise<Outcome> => {
  const record = await resolveTool(context, actor, invocation);
  const handler = handlerOf(record, context.handlers());
  const call: Call = {
    id: context.clock.newId(),
    at: context.clock.now(),
    actor,
    record,
    handler,
    permission: effectivePermission(handler, record.spec),
    invocation,
    args: (invocation.arguments ?? {}) as Call['args'],
    options,
    signal,
  };
  return outcomeOf(call, await through(context, 0)(call));
};

const through =
  (context: ExecuteContext, at: number): Next =>
  (call) => {
    const layer = layers[at];
    return layer ? layer(context, call, through(context, at + 1)) : runImplementation(context, call);
  };

const outcomeOf = ({ id, record }: Call, ran: Ran): Outcome => ({
  call_id: id,
  tool: record.spec.name,
  version: record.version,
  status: ran.status,
  ...(ran.error ? { error: { type: ran.error.type, message: ran.error.message } } : { output: ran.output }),
  duration_ms: ran.durationMs,
  cached: ran.cached,
  charged_micros: ran.chargedMicros,
});
