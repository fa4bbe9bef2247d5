import type { Pixels } from '../../shared/iqa/pixels.ts';

const side = 11;
const raw = Array.from({ length: side }, (_, i) => Math.exp(-((i - 5) ** 2) / 4.5));
const taps = raw.map((tap) => tap / raw.reduce((a, b) => a + b));

/** A straightforward SSIM: luma, five planes, two passes over each, one formula; typed arrays throughout. */
export function plainSsim(x: Pixels, y: Pixels): number {
  const { width, height } = x;
  const [a, b] = [luma(x), luma(y)];
  const product = (p: Float32Array, q: Float32Array): Float32Array => p.map((value, at) => value * (q[at] as number));
  const blur = (plane: Float32Array): Float32Array => blurred(plane, width, height);
  const [ma, mb, aa, bb, ab] = [a, b, product(a, a), product(b, b), product(a, b)].map(blur) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  let total = 0;
  for (let at = 0; at < ma.length; at++) {
    const [p, q] = [ma[at] as number, mb[at] as number];
    const [pp, qq, pq] = [(aa[at] as number) - p * p, (bb[at] as number) - q * q, (ab[at] as number) - p * q];
    const structure = Math.max(0, (2 * pq + 58.5225) / (pp + qq + 58.5225));
    total += (structure * (2 * p * q + 6.5025)) / (p * p + q * q + 6.5025);
  }
  return total / ma.length;
}

function luma({ data }: Pixels): Float32Array {
  const plane = new Float32Array(data.length / 3);
  for (let at = 0, source = 0; at < plane.length; at++, source += 3) {
    const [r, g, b] = [data[source] as number, data[source + 1] as number, data[source + 2] as number];
    plane[at] = Math.round(0.299 * r + 0.587 * g + 0.114 * b);
  }
  return plane;
}

function blurred(plane: Float32Array, width: number, height: number): Float32Array {
  const [columns, rows] = [width - side + 1, height - side + 1];
  const across = new Float32Array(columns * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < columns; x++) {
      let sum = 0;
      for (let tap = 0; tap < side; tap++) sum += (taps[tap] as number) * (plane[y * width + x + tap] as number);
      across[y * columns + x] = sum;
    }
  }
  const down = new Float32Array(columns * rows);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      let sum = 0;
      for (let tap = 0; tap < side; tap++) sum += (taps[tap] as number) * (across[(y + tap) * columns + x] as number);
      down[y * columns + x] = sum;
    }
  }
  return down;
}
