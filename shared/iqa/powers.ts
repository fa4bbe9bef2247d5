const STEPS = 8192;
/** Below this a straight line is too far from the curve. */
const LEAST = 1 / 16;

/** Powers by one exponent within 0..1 of numbers from 0 on: to 1e-7 by a straight line between known ones up to 1. */
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
