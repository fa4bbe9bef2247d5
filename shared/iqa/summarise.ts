import type { IqaType } from '../model/iqa.ts';
import { mean } from './calibration/statistics.ts';
import type { IqaTool } from './metadata.ts';
import { overallOf, type PredictedOverall } from './overall.ts';

/** One number for a picture, if the evidence supports one: with a reference `score`, `low`, `high` and `word`. */
export interface Overall extends Partial<PredictedOverall> {
  /** Deprecated: the mean of the calibrated scores. */
  readonly mean: number;
  /** Deprecated: their standard deviation, which is not an error estimate of the mean. */
  readonly spread: number;
  readonly tools: readonly string[];
  /** Why there is no `score`. */
  readonly note?: string;
}

export interface CalibratedScore {
  readonly tool: string;
  readonly type: IqaType;
  readonly raw: number;
  readonly normalized: number;
}

const NO_REFERENCE =
  'without a reference no single number is supported: on TID2013 the rank correlation of these metrics with opinion is 0.09 to 0.36; read each with its limits, and compare pictures of one kind only';
const NO_MODEL = 'no model of opinion was fitted for these metrics together';

/** Null when there is no calibrated score. */
export const summarise = (calibrated: readonly CalibratedScore[], hasReference: boolean): Overall | null => {
  if (calibrated.length === 0) return null;
  const centre = mean(calibrated.map(({ normalized }) => normalized));
  const spread = Math.sqrt(mean(calibrated.map(({ normalized }) => (normalized - centre) ** 2)));
  const compared = calibrated.filter(({ type }) => type === 'FR');
  const predicted = overallOf(Object.fromEntries(compared.map(({ tool, raw }) => [tool, raw])));
  if (predicted) return { ...predicted, mean: centre, spread };
  const tools = calibrated.map(({ tool }) => tool);
  return { mean: centre, spread, tools, note: hasReference && compared.length > 0 ? NO_MODEL : NO_REFERENCE };
};

/** The distortions a tool does not see, in a sentence. */
export const describeLimits = ({ blind_to }: IqaTool): string | undefined =>
  blind_to && blind_to.length > 0 ? `does not see ${blind_to.join(', ')}` : undefined;
