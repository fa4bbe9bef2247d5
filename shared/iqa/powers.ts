const STEPS = 8192;
/** Below this, linear interpolation is too inaccurate. */
const LEAST = 1 / 16;

/** Powers with one exponent in 0..1 of non-negative numbers, interpolated in a table up to 1 (error below 1e-7). */
export const powersOf = (exponent: number): ((value: number) => number) => {
  const known = Float64Array.from({ length: STEPS + 2 }, (_, index) => (index / STEPS) ** exponent);
  return (value) => {
    if (!(value >= LEAST && value <= 1)) return value ** exponent;
    const place = value * STEPS;
    const index = place | 0;
    const low = known[index] as number;
    return low + (place - index) * ((known[index + 1] as number) - low);
  };
};
