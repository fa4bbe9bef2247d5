/** The mean of calibrated scores on [1, 5], how far they lie apart, and whose they are. */
export interface Overall {
  readonly mean: number;
  /** Standard deviation of the scores about their mean; 0 for a single one. */
  readonly spread: number;
  readonly tools: readonly string[];
}

interface Scored {
  readonly tool: string;
  readonly normalized: number;
}

/** Null when there is no calibrated score to speak of. */
export const overallOf = (calibrated: readonly Scored[]): Overall | null => {
  if (calibrated.length === 0) return null;
  const mean = average(calibrated.map(({ normalized }) => normalized));
  const spread = Math.sqrt(average(calibrated.map(({ normalized }) => (normalized - mean) ** 2)));
  return { mean, spread, tools: calibrated.map(({ tool }) => tool) };
};

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
