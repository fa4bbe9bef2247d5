/** Half-precision floats, given as their bits, as float32. */
export const widened = (halves: Uint16Array): Float32Array => {
  const bits = new Uint32Array(halves.length);
  for (let at = 0; at < halves.length; at++) bits[at] = widenedBits(halves[at] ?? 0);
  return new Float32Array(bits.buffer);
};

const widenedBits = (half: number): number => {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  // A subnormal half is an ordinary float: its leading bit moves to where the implied one is.
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
};
