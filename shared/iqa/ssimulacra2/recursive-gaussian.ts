/**
 * SSIMULACRA 2's Gaussian blur of deviation 1.5, approximated by three truncated cosines (Charalampidis 2016, "Recursive
 * Implementation of the Gaussian Filter Using Truncated Cosine Functions"; its equations are numbered below). `taps` is
 * the window; `recursion` gives the same result, but for rounding, with few operations per sample.
 */
export const recursiveGaussian = createGaussian(1.5);

interface Gaussian {
  readonly radius: number;
  readonly taps: readonly number[];
  /** For each cosine: output = input * (newest + oldest sample) - (previous * last output + the output before it). */
  readonly recursion: readonly { readonly input: number; readonly previous: number }[];
}

function createGaussian(sigma: number): Gaussian {
  const radius = Math.round(3.2795 * sigma + 0.2546); // (57)
  const omega = three((k) => ((2 * k + 1) * Math.PI) / (2 * radius));
  const p = three((k) => (k === 1 ? -1 : 1) / Math.tan(omega[k] / 2)); // (37)
  const r = three((k) => ((k === 1 ? -1 : 1) * p[k] ** 2) / Math.sin(omega[k])); // (44)
  const rho = three((k) => Math.exp(-0.5 * sigma ** 2 * omega[k] ** 2) / radius); // (50)
  const cross = (a: Index, b: Index): number => p[a] * r[b] - r[a] * p[b];
  const [z1, z3] = [cross(1, 2) / cross(0, 1), cross(2, 0) / cross(0, 1)]; // (52)
  const beta = solve([p, r, [z1, z3, 1]], [1, radius ** 2 - sigma ** 2, z1 * rho[0] + z3 * rho[1] + rho[2]]); // (53)
  // All three cosines are zero at the radius.
  const taps = Array.from({ length: 2 * radius - 1 }, (_, index) => {
    const [a, b, c] = three((k) => beta[k] * Math.cos(omega[k] * (index - radius + 1)));
    return a + b + c;
  });
  const recursion = ([0, 1, 2] as const).map((k) => ({
    input: -beta[k] * Math.cos(omega[k] * (radius + 1)), // (33)
    previous: -2 * Math.cos(omega[k]),
  }));
  return { radius, taps, recursion };
}

type Index = 0 | 1 | 2;
type Three = readonly [number, number, number];

function three(value: (k: Index) => number): Three {
  return [value(0), value(1), value(2)];
}

/** Cramer's rule. */
function solve(rows: readonly [Three, Three, Three], right: Three): Three {
  const whole = determinant(rows[0], rows[1], rows[2]);
  return three((column) => {
    const [a, b, c] = rows.map((row, at) => three((k) => (k === column ? (right[at] ?? 0) : row[k])));
    return a && b && c ? determinant(a, b, c) / whole : Number.NaN;
  });
}

function determinant(a: Three, b: Three, c: Three): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}
