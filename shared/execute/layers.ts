import { answerFromCache } from './cache.ts';
import type { Call, CallLayer, CallResult, LayerContext, Next } from './call.ts';
import { chargeCalls } from './meter.ts';
import { recordCalls } from './monitor.ts';
import { askPermission } from './permission.ts';
import { refuseUnrunnable } from './resolve.ts';
import { limitSpend } from './spend.ts';
import { checkCalls } from './validate.ts';

/** Outermost first: layers that refuse a call come before those that cost anything. */
const layers: readonly CallLayer[] = [
  recordCalls,
  refuseUnrunnable,
  checkCalls,
  limitSpend,
  askPermission,
  chargeCalls,
  answerFromCache,
];

/** Runs a call through every layer. A refusal is recorded, then thrown. */
export const runThroughLayers = (context: LayerContext, call: Call, implementation: Next): Promise<CallResult> => {
  const from =
    (at: number): Next =>
    (given) => {
      const layer = layers[at];
      return layer ? layer(context, given, from(at + 1)) : implementation(given);
    };
  return from(0)(call);
};
