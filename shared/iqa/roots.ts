const STEPS = 4096;
const MOST = 1.5;

const ROOTS = Float64Array.from({ length: MOST * STEPS + 2 }, (_, index) => Math.cbrt(index / STEPS));

/** The cube root of 0.003 to 1.5 to 14 digits: linear interpolation in a table, then one step of Halley's method. */
export function cubeRoot(value: number): number {
  const place = value * STEPS;
  const index = place | 0;
  const low = ROOTS[index] as number;
  const guess = low + (place - index) * ((ROOTS[index + 1] as number) - low);
  const cube = guess * guess * guess;
  return (guess * (cube + 2 * value)) / (2 * cube + value);
}
