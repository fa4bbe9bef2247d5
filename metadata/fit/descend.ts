interface Descent {
  readonly rounds: number;
  readonly rate: number;
  /** The L2 penalty on the distance from `start`. */
  readonly decay: number;
  readonly start?: readonly number[] | undefined;
}

/** Minimises a loss by full-batch Adam, with an L2 penalty on the distance from `start`, which is zero by default. */
export const descend = (
  size: number,
  addGradient: (weights: Float64Array, gradient: Float64Array) => void,
  { rounds, rate, decay, start }: Descent,
): readonly number[] => {
  const origin = Float64Array.from({ length: size }, (_, at) => start?.[at] ?? 0);
  const weights = Float64Array.from(origin);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let round = 1; round <= rounds; round++) {
    const gradient = weights.map((weight, at) => decay * (weight - (origin[at] ?? 0)));
    addGradient(weights, gradient);
    for (let at = 0; at < size; at++) {
      const slope = gradient[at] ?? 0;
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const step = (mean[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - rate * step;
    }
  }
  return [...weights];
};

export const dot = (rows: Float64Array, from: number, weights: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += (rows[from + at] ?? 0) * (weights[at] ?? 0);
  return sum;
};

export const addScaled = (sums: Float64Array, rows: Float64Array, from: number, factor: number): void => {
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + factor * (rows[from + at] ?? 0);
};
