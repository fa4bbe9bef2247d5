import { Fault } from '../kernel/errors.ts';
import type { LogisticParams } from '../model/iqa.ts';
import type { IqaTool } from './metadata.ts';

export const WORST = 1;
export const BEST = 5;

/** The parameters of tools without their own; the tool's direction decides which end is best. */
const DEFAULT_LOGISTIC: LogisticParams = { beta1: BEST, beta2: WORST, beta3: 0.5, beta4: 0.1 };

export interface Normalised {
  readonly normalized: number;
  readonly warnings: readonly string[];
}

type Scale = Pick<IqaTool, 'name' | 'logistic_params' | 'lower_better'>;

/** Maps a raw score to [1, 5] by the tool's logistic; higher is better whatever the tool's direction. */
export const normaliseScore = (tool: Scale, raw: number): Normalised => {
  if (Number.isNaN(raw))
    throw new Fault('ToolExecutionError', `${tool.name} gave NaN, which cannot be normalised`, { tool: tool.name });
  const warnings: string[] = [];
  if (!tool.logistic_params) {
    warnings.push(`${tool.name} has no logistic_params: normalised by the defaults, not comparable with other tools`);
  }
  const value = logistic(tool.logistic_params ?? DEFAULT_LOGISTIC, tool.lower_better ?? false, raw);
  const normalized = Math.min(BEST, Math.max(WORST, value));
  if (normalized !== value) warnings.push(`${tool.name}: ${value} is outside [1, 5] and was clipped to ${normalized}`);
  return { normalized, warnings };
};

// beta1 and beta2 are ordered by the direction here, whichever order the metadata has them in.
const logistic = ({ beta1, beta2, beta3, beta4 }: LogisticParams, lowerBetter: boolean, raw: number): number => {
  const low = Math.min(beta1, beta2);
  const high = Math.max(beta1, beta2);
  const [first, second] = lowerBetter ? [low, high] : [high, low];
  return (first - second) / (1 + Math.exp(-(raw - beta3) / Math.abs(beta4))) + second;
};
