import { createFairTurns, type FairTurns } from '../kernel/fair-turns.ts';
import type { Gauge } from '../kernel/ports.ts';
import { createResultCache } from './cache.ts';
import type { LayerContext } from './call.ts';
import { clockGauge } from './clock-gauge.ts';
import { createRedact } from './redact.ts';
import { createArgumentCheck, createOutputCheck } from './validate.ts';

export interface LayerPorts
  extends Pick<LayerContext, 'table' | 'clock' | 'timers' | 'log' | 'random' | 'meter' | 'recorder' | 'spendRate'> {
  readonly gauge?: Gauge | undefined;
  readonly turns?: FairTurns | undefined;
}

/** The dependencies that the layers of a process share: validation, redaction and cache, on the given ports. */
export const createLayerContext = ({ gauge, turns, ...ports }: LayerPorts): LayerContext => ({
  ...ports,
  turns: turns ?? createFairTurns(ports.clock),
  checkArguments: createArgumentCheck(),
  checkOutput: createOutputCheck(),
  redact: createRedact(),
  cache: createResultCache({ clock: ports.clock }),
  gauge: gauge ?? clockGauge(ports.clock),
});
