import type { Plane } from './plane-filter.ts';

const block = 3;
const places = block * block;

/**
 * Covariance (9 x 9) of all overlapping 3 x 3 blocks of a plane.
 * Two places of a block differ by one of 13 shifts, so 13 products a pixel are enough instead of 45.
 */
export function blockCovariance({ width, height, data }: Plane): Float64Array {
  const rows = height - block + 1;
  const columns = width - block + 1;
  const sums = rowSums(data, width, height);
  const means = Float64Array.from({ length: places }, (_, place) => {
    const [y, x] = [Math.floor(place / block), place % block];
    return windowSum(sums.plain, x, y, rows, height) / (rows * columns);
  });
  const covariance = new Float64Array(places * places);
  for (let first = 0; first < places; first++) {
    for (let second = first; second < places; second++) {
      const [y, x] = [Math.floor(first / block), first % block];
      const [down, across] = [Math.floor(second / block) - y, (second % block) - x];
      const products = sums.products[down * 5 + across + 2] as Float64Array;
      const mean = windowSum(products, x, y, rows, height) / (rows * columns);
      const value = mean - (means[first] as number) * (means[second] as number);
      covariance[first * places + second] = value;
      covariance[second * places + first] = value;
    }
  }
  return covariance;
}

// Sums of one row are kept for the three columns a block place can start at, one after the other.
function windowSum(sums: Float64Array, x: number, y: number, rows: number, height: number): number {
  let total = 0;
  for (let row = y; row < y + rows; row++) total += sums[x * height + row] as number;
  return total;
}

function rowSums(data: Float32Array, width: number, height: number) {
  const plain = new Float64Array(block * height);
  const products = Array.from({ length: block * 5 }, () => new Float64Array(block * height));
  for (let row = 0; row < height; row++) {
    fill(plain, row, height, width, (column) => data[row * width + column] as number);
    for (let down = 0; down < block && row + down < height; down++) {
      for (let across = down === 0 ? 0 : -2; across <= 2; across++) {
        const target = products[down * 5 + across + 2] as Float64Array;
        lagSums(data, row * width, (row + down) * width, across, width, target, row, height);
      }
    }
  }
  return { plain, products };
}

function fill(
  target: Float64Array,
  row: number,
  height: number,
  width: number,
  value: (column: number) => number,
): void {
  let core = 0;
  for (let column = 2; column < width - 2; column++) core += value(column);
  spread(core, value, target, row, height, width);
}

/** Products of two rows shifted against each other; a shift past the row's end is never asked for. */
function lagSums(
  data: Float32Array,
  first: number,
  second: number,
  across: number,
  width: number,
  target: Float64Array,
  row: number,
  height: number,
): void {
  let core = 0;
  const shifted = second + across;
  for (let column = 2; column < width - 2; column++) {
    core += (data[first + column] as number) * (data[shifted + column] as number);
  }
  const value = (column: number): number =>
    column + across < 0 || column + across >= width
      ? 0
      : (data[first + column] as number) * (data[shifted + column] as number);
  spread(core, value, target, row, height, width);
}

// From the columns all three starts share to each start's own: x .. width - 3 + x.
function spread(
  core: number,
  value: (column: number) => number,
  target: Float64Array,
  row: number,
  height: number,
  width: number,
): void {
  for (let x = 0; x < block; x++) {
    let sum = core;
    for (let column = x; column < 2; column++) sum += value(column);
    for (let column = width - 2; column <= width - block + x; column++) sum += value(column);
    target[x * height + row] = sum;
  }
}
