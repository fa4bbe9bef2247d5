import type { Pixels } from '../../shared/iqa/pixels.ts';

/** Straightforward float64 loops, written from the definitions, to compare the graphs with. */

type Grid = readonly (readonly number[])[];

export function lumaGrid({ width, height, data }: Pixels): Grid {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => {
      const [r = 0, g = 0, b = 0] = data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3);
      return halfEven(Math.fround(255 * multiplyAdd(b, 0.114, multiplyAdd(g, 0.587, multiplyAdd(r, 0.299, 0)))));
    }),
  );
}

/** One step of luma: a byte's fraction of 255 times a weight, added and rounded once, all in float32. */
const multiplyAdd = (byte: number, weight: number, sum: number): number =>
  Math.fround(Math.fround(byte / 255) * Math.fround(weight) + sum);

function halfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor + (floor % 2);
}

const raw = Array.from({ length: 11 }, (_, i) => Math.exp(-((i - 5) ** 2) / 4.5));
const taps = raw.map((tap) => tap / raw.reduce((a, b) => a + b));

/** Mean of the structure term and of the whole map. */
export function plainSsim(x: Grid, y: Grid): { readonly structure: number; readonly ssim: number } {
  const [c1, c2] = [6.5025, 58.5225];
  let [structureSum, ssimSum, count] = [0, 0, 0];
  for (let top = 0; top + 11 <= x.length; top++) {
    for (let left = 0; left + 11 <= (x[0]?.length ?? 0); left++) {
      let [mx, my, xx, yy, xy] = [0, 0, 0, 0, 0];
      for (let i = 0; i < 11; i++) {
        for (let j = 0; j < 11; j++) {
          const weight = (taps[i] ?? 0) * (taps[j] ?? 0);
          const [a, b] = [x[top + i]?.[left + j] ?? 0, y[top + i]?.[left + j] ?? 0];
          mx += weight * a;
          my += weight * b;
          xx += weight * a * a;
          yy += weight * b * b;
          xy += weight * a * b;
        }
      }
      const structure = Math.max(0, (2 * (xy - mx * my) + c2) / (xx - mx * mx + yy - my * my + c2));
      structureSum += structure;
      ssimSum += (structure * (2 * mx * my + c1)) / (mx * mx + my * my + c1);
      count++;
    }
  }
  return { structure: structureSum / count, ssim: ssimSum / count };
}

/** Halved as the reference halves: an odd side gets a zero on both ends. */
function halve(grid: Grid): Grid {
  const [height, width] = [grid.length, grid[0]?.length ?? 0];
  const [oddY, oddX] = [height % 2, width % 2];
  const at = (y: number, x: number): number => grid[y]?.[x] ?? 0;
  return Array.from({ length: (height + oddY) / 2 }, (_, i) =>
    Array.from({ length: (width + oddX) / 2 }, (__, j) => {
      const [y, x] = [2 * i - oddY, 2 * j - oddX];
      return (at(y, x) + at(y, x + 1) + at(y + 1, x) + at(y + 1, x + 1)) / 4;
    }),
  );
}

export function plainMsSsim(x: Grid, y: Grid): number {
  const weights = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
  return weights.reduce((product, weight, level) => {
    const { structure, ssim } = plainSsim(x, y);
    [x, y] = [halve(x), halve(y)];
    return product * (level === 4 ? ssim : structure) ** weight;
  }, 1);
}

export function plainGmsd(x: Grid, y: Grid): number {
  const even = (grid: Grid): Grid => grid.slice(0, grid.length & ~1).map((row) => row.slice(0, row.length & ~1));
  const gradient = (grid: Grid) => {
    const small = halve(even(grid));
    const at = (i: number, j: number): number => small[i]?.[j] ?? 0;
    return small.map((row, i) =>
      row.map((_, j) => {
        let [gx, gy] = [0, 0];
        for (const k of [-1, 0, 1]) {
          gx += (at(i + k, j - 1) - at(i + k, j + 1)) / 3;
          gy += (at(i - 1, j + k) - at(i + 1, j + k)) / 3;
        }
        return Math.sqrt(gx * gx + gy * gy + 1e-12);
      }),
    );
  };
  const [a, b] = [gradient(x).flat(), gradient(y).flat()];
  const similarity = a.map((m, i) => (2 * m * (b[i] ?? 0) + 170) / (m * m + (b[i] ?? 0) ** 2 + 170));
  const mean = similarity.reduce((p, q) => p + q) / similarity.length;
  return Math.sqrt(similarity.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (similarity.length - 1));
}

export function plainPsnr(x: Pixels, y: Pixels): number {
  const error = x.data.reduce((sum, value, at) => sum + (value - (y.data[at] ?? 0)) ** 2, 0) / x.data.length / 255 ** 2;
  return 10 * Math.log10(1 / (error + 1e-8));
}
