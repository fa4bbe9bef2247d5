import type { Plane } from './plane-filter.ts';

const block = 3;
const tiny = 1e-12;

/** How the distorted band follows the reference around each 3 x 3 block: y = gain * x + noise. */
export interface BlockGains {
  readonly rows: number;
  readonly columns: number;
  /** Blocks left out on every side, because their window would leave the band. */
  readonly margin: number;
  readonly gain: Float64Array;
  readonly noise: Float64Array;
}

/** Gain and noise over windows of side `side` around the blocks of two bands, whose sides are multiples of three. */
export function blockGains(x: Plane, y: Plane, side: number): BlockGains {
  const reach = (side - 1) / 2;
  const margin = Math.ceil(reach / block);
  const rows = Math.max(0, x.height / block - 2 * margin);
  const columns = Math.max(0, x.width / block - 2 * margin);
  const gain = new Float64Array(rows * columns);
  const noise = new Float64Array(rows * columns);
  const lines = createLines(x, y, side, margin, columns);
  for (let row = 0; row < rows; row++) {
    const sums = lines((margin + row) * block + 1);
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const of = (quantity: number): number => sums[quantity * columns + column] as number;
      const fitted = fit(of(0), of(1), of(2), of(3), of(4), side * side);
      gain[at] = fitted.gain;
      noise[at] = fitted.noise;
    }
  }
  return { rows, columns, margin, gain, noise };
}

// The replacements stand in the order in which the reference makes them.
function fit(sx: number, sy: number, sxx: number, syy: number, sxy: number, count: number) {
  const vx = Math.max(0, sxx - (sx * sx) / count);
  const vy = Math.max(0, syy - (sy * sy) / count);
  const covariance = sxy - (sx * sy) / count;
  let gain = covariance / (vx + tiny);
  let noise = (vy - gain * covariance) / count;
  if (vx < tiny) [gain, noise] = [0, vy];
  if (vy < tiny) [gain, noise] = [0, 0];
  if (gain < 0) [gain, noise] = [0, vy];
  return { gain, noise: Math.max(noise, tiny) };
}

/** Window sums of x, y, xx, yy and xy for the blocks of one row, given its centre; rows must be asked for in order. */
function createLines(x: Plane, y: Plane, side: number, margin: number, columns: number) {
  const reach = (side - 1) / 2;
  const kept = Array.from({ length: side }, () => new Float64Array(5 * columns));
  const total = new Float64Array(5 * columns);
  let next = margin * block + 1 - reach;
  return (centre: number): Float64Array => {
    for (; next <= centre + reach; next++) addLine(x, y, next, side, margin, kept[next % side] as Float64Array);
    total.fill(0);
    for (const line of kept) {
      for (let at = 0; at < total.length; at++) total[at] = (total[at] as number) + (line[at] as number);
    }
    return total;
  };
}

function addLine(x: Plane, y: Plane, row: number, side: number, margin: number, line: Float64Array): void {
  const columns = line.length / 5;
  const start = row * x.width + margin * block + 1 - (side - 1) / 2;
  for (let column = 0; column < columns; column++) {
    let [sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0];
    const from = start + column * block;
    for (let at = from; at < from + side; at++) {
      const [a, b] = [x.data[at] as number, y.data[at] as number];
      sx += a;
      sy += b;
      sxx += a * a;
      syy += b * b;
      sxy += a * b;
    }
    line[column] = sx;
    line[columns + column] = sy;
    line[2 * columns + column] = sxx;
    line[3 * columns + column] = syy;
    line[4 * columns + column] = sxy;
  }
}
