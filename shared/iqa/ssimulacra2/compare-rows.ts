const C2 = Math.fround(0.0009);

/** Adds 1 - SSIM of a row, without SSIM's denominator of means, because XYB is perceptually uniform. */
export function addDissimilarity(
  meanX: Float32Array,
  meanY: Float32Array,
  squaresX: Float32Array,
  squaresY: Float32Array,
  product: Float32Array,
  sums: Float64Array,
): void {
  let [first, fourth] = [0, 0];
  for (let at = 0; at < meanX.length; at++) {
    const [a, b] = [meanX[at] as number, meanY[at] as number];
    const distance = Math.fround(a - b);
    const similarity = Math.fround(1 - distance * distance);
    const both = Math.fround((product[at] as number) - Math.fround(a * b));
    const varianceX = Math.fround((squaresX[at] as number) - Math.fround(a * a));
    const varianceY = Math.fround((squaresY[at] as number) - Math.fround(b * b));
    const divisor = Math.fround(Math.fround(varianceX + varianceY) + C2);
    const error = 1 - Math.fround(Math.fround(similarity * Math.fround(2 * both + C2)) / divisor);
    if (error <= 0) continue;
    const square = error * error;
    first += error;
    fourth += square * square;
  }
  sums[0] = (sums[0] as number) + first;
  sums[3] = (sums[3] as number) + fourth;
}

/** Adds how much stronger (blocking, ringing) or weaker (blur) the edges of the picture y are than those of the reference x. */
export function addEdges(
  x: Float32Array,
  y: Float32Array,
  meanX: Float32Array,
  meanY: Float32Array,
  sums: Float64Array,
): void {
  let [gained, gained4, lost, lost4] = [0, 0, 0, 0];
  for (let at = 0; at < x.length; at++) {
    const own = 1 + Math.abs(Math.fround((y[at] as number) - (meanY[at] as number)));
    const other = 1 + Math.abs(Math.fround((x[at] as number) - (meanX[at] as number)));
    const edge = own / other - 1;
    const square = edge * edge;
    if (edge > 0) {
      gained += edge;
      gained4 += square * square;
    } else {
      lost -= edge;
      lost4 += square * square;
    }
  }
  sums[1] = (sums[1] as number) + gained;
  sums[2] = (sums[2] as number) + lost;
  sums[4] = (sums[4] as number) + gained4;
  sums[5] = (sums[5] as number) + lost4;
}
