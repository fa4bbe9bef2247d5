import type { Entry } from '../../kernel/tracer.ts';
import type { OtelSettings } from './settings.ts';

/** Whether a trace is sent, as OpenTelemetry's samplers decide it. */
export const createSampler = ({ sampler, ratio }: Pick<OtelSettings, 'sampler' | 'ratio'>) => {
  const base = sampler.replace('parentbased_', '');
  const isByParent = base !== sampler;
  return ({ parent }: Pick<Entry, 'parent'>, traceId: () => string): boolean => {
    if (isByParent && parent) return parent.isSampled;
    if (base === 'traceidratio') return randomPart(traceId()) < ratio;
    return base === 'always_on';
  };
};

const RANDOM_DIGITS = 14;

/** From 0 to 1: the part of a trace id that is random, so that all processes decide alike. */
const randomPart = (traceId: string): number =>
  Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS;
