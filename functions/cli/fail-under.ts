import type { ScoreReport } from '../../shared/iqa/score.ts';
import { UsageError } from './command.ts';

/** A threshold for every picture: on a tool's raw score, or the overall score. */
export interface Bound {
  readonly name: string;
  readonly value: number;
}

/** Reads `ssim=0.98,overall=4`. */
export const parseBounds = (text: string | undefined): readonly Bound[] =>
  (text ?? '')
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split('=').map((word) => word.trim());
      if (name === '' || value === '' || !Number.isFinite(Number(value)))
        throw new UsageError(`--fail-under takes bounds such as ssim=0.98,overall=4, not ${JSON.stringify(part)}`);
      return { name, value: Number(value) };
    });

/** Describes the thresholds that a report misses. A lower-is-better tool misses them above the value. */
export const findFailures = (
  report: ScoreReport,
  bounds: readonly Bound[],
  lowerIsBetter: (tool: string) => boolean,
): readonly string[] =>
  bounds.flatMap(({ name, value }) => {
    if (name === 'overall') {
      const score = report.overall?.score;
      if (score === undefined) return ['there is no overall score: give a --reference, or bound a tool instead'];
      return score < value ? [`overall ${score.toFixed(2)} is under ${value}`] : [];
    }
    const raw = report.scores.find(({ tool }) => tool.toLowerCase() === name.toLowerCase())?.raw;
    if (raw === undefined) return [`${name} has no score`];
    const fails = lowerIsBetter(name) ? raw > value : raw < value;
    return fails ? [`${name} ${raw.toFixed(4)} is ${lowerIsBetter(name) ? 'over' : 'under'} ${value}`] : [];
  });
