import { currentSpan, inSpan, openSpan, runInSpan } from '../kernel/trace.ts';
import { answerFromCache } from './cache.ts';
import type { Call, CallLayer, CallResult, LayerContext, Next } from './call.ts';
import { chargeCalls } from './meter.ts';
import { recordCalls } from './monitor.ts';
import { askPermission } from './permission.ts';
import { refuseUnrunnable } from './resolve.ts';
import { limitSpend } from './spend.ts';
import { checkCalls } from './validate.ts';

/** Outermost first: layers that refuse a call come before those that cost anything. Named layers get a span. */
const layers: readonly { readonly run: CallLayer; readonly name?: string }[] = [
  { run: recordCalls },
  { run: refuseUnrunnable },
  { run: checkCalls, name: 'check arguments' },
  { run: limitSpend },
  { run: askPermission, name: 'permission' },
  { run: chargeCalls, name: 'charge' },
  { run: answerFromCache, name: 'cache' },
];

/** Runs a call through every layer. A refusal is recorded, then thrown. */
export const runThroughLayers = (context: LayerContext, call: Call, implementation: Next): Promise<CallResult> => {
  const from =
    (at: number): Next =>
    (given) => {
      const layer = layers[at];
      return layer ? layer.run(context, given, from(at + 1)) : implementation(given);
    };
  return currentSpan()?.collector ? traced(context, call, implementation) : from(0)(call);
};

/** The same, with a span for the call and, below it, one for what each layer does before it calls the next. */
const traced = (context: LayerContext, call: Call, implementation: Next): Promise<CallResult> => {
  const { id, actor, record } = call;
  currentSpan()?.collector?.noteCall(actor.tenant);
  const about = { call_id: id, tool: record.spec.name, version: record.version };
  return inSpan(`call ${record.spec.name}`, about, () => {
    const own = currentSpan();
    const from =
      (at: number): Next =>
      async (given) => {
        const layer = layers[at];
        if (layer === undefined) return implementation(given);
        const span = layer.name === undefined ? undefined : openSpan(layer.name);
        if (span === undefined || own === undefined) return layer.run(context, given, from(at + 1));
        const next: Next = (passed) => {
          span.end();
          return runInSpan(own, () => from(at + 1)(passed));
        };
        try {
          return await span.run(() => layer.run(context, given, next));
        } catch (thrown) {
          span.fail(thrown);
          throw thrown;
        } finally {
          span.end();
        }
      };
    return from(0)(call);
  });
};
