/** The mean of values by weights, in float64; `tiny` is added to both sums, so that no weight at all gives 1. */
export function weightedMean(values: Float32Array | Float64Array, weights: Float64Array, tiny = 0): number {
  let total = 0;
  let sum = 0;
  for (let at = 0; at < values.length; at++) {
    total += (values[at] as number) * (weights[at] as number);
    sum += weights[at] as number;
  }
  return (total + tiny) / (sum + tiny);
}
