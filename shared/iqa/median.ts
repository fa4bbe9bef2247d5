/** Values are grouped by the bits above these; a group holds a few per cent of them. */
const UNUSED_BITS = 17;

/** The lower median of non-negative numbers: element floor((n - 1) / 2) in ascending order. */
export function lowerMedian(values: Float32Array): number {
  // Non-negative floats have the same order as their bits.
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const counts = new Uint32Array(1 << (31 - UNUSED_BITS));
  for (let at = 0; at < bits.length; at++) {
    const group = (bits[at] as number) >>> UNUSED_BITS;
    counts[group] = (counts[group] as number) + 1;
  }
  let wanted = Math.floor((values.length - 1) / 2);
  let group = 0;
  for (; wanted >= (counts[group] as number); group++) wanted -= counts[group] as number;
  const near = new Uint32Array(counts[group] as number);
  for (let at = 0, next = 0; at < bits.length; at++) {
    if ((bits[at] as number) >>> UNUSED_BITS === group) near[next++] = bits[at] as number;
  }
  return new Float32Array(near.sort().buffer)[wanted] as number;
}
