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

const NLPD_LEVELS = [
  [0.0248, 0.1011, 0.1015, 0.1493, 0.146],
  [0.0185, 0.0757, 0.0837, 0.1986, 0.1846],
  [0.0179, 0.0477, 0.0467, 0.2138, 0.2243],
  [0.0191, 0, 0, 0.2503, 0.2616],
  [0.022, 0, 0, 0.2598, 0.2552],
  [0.2782, 0, 0, 0.2215, 0.0717],
] as const;

type Plane = number[][];

/** NLPD in float64, one loop after the other; each plane is a list of rows. */
export function plainNlpd(picture: Pixels, reference: Pixels): number {
  const bands = [picture, reference].map((pixels) => nlpdBands(lumaRows(pixels)));
  const errors = NLPD_LEVELS.map((_, level) => {
    const [a, b] = bands.map((each) => (each[level] as Plane).flat()) as [number[], number[]];
    return Math.sqrt(a.reduce((sum, value, at) => sum + (value - (b[at] as number)) ** 2, 0) / a.length);
  });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

const lumaRows = ({ width, height, data }: Pixels): Plane =>
  Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = 3 * (y * width + x);
      return (0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)) / 255;
    }),
  );

function nlpdBands(luma: Plane): readonly Plane[] {
  let image = luma;
  return NLPD_LEVELS.map(([sigma, up, down, left, right], level) => {
    const smaller = level < 5 ? halved(image) : undefined;
    const band = smaller ? minus(image, doubled(smaller, image.length, image[0]?.length ?? 0)) : image;
    if (smaller) image = smaller;
    const at = (y: number, x: number): number => Math.abs(band[y]?.[x] ?? 0);
    // The cross is turned by 180 degrees.
    return band.map((row, y) =>
      row.map(
        (value, x) =>
          value / (sigma + up * at(y + 1, x) + down * at(y - 1, x) + left * at(y, x + 1) + right * at(y, x - 1)),
      ),
    );
  });
}

const LOW_PASS = [0.05, 0.25, 0.4, 0.25, 0.05];

/** Every second sample of the low-pass; the border is mirrored with its pixel repeated, over and over on short sides. */
function halved(image: Plane): Plane {
  const [height, width] = [image.length, image[0]?.length ?? 0];
  const mirrored = (place: number, length: number): number => {
    const period = ((place % (2 * length)) + 2 * length) % (2 * length);
    return period < length ? period : 2 * length - 1 - period;
  };
  return Array.from({ length: Math.ceil(height / 2) }, (_, y) =>
    Array.from({ length: Math.ceil(width / 2) }, (_, x) =>
      LOW_PASS.reduce(
        (sum, a, i) =>
          sum +
          LOW_PASS.reduce(
            (row, b, j) =>
              row + a * b * (image[mirrored(2 * y + i - 2, height)]?.[mirrored(2 * x + j - 2, width)] ?? 0),
            0,
          ),
        0,
      ),
    ),
  );
}

/** Zeros between the samples of a plane continued by its border, times four, low-passed. */
function doubled(small: Plane, height: number, width: number): Plane {
  const clamp = (place: number, length: number): number => Math.min(length - 1, Math.max(0, place));
  const at = (y: number, x: number): number =>
    y % 2 !== 0 || x % 2 !== 0
      ? 0
      : 4 * (small[clamp(y / 2, small.length)]?.[clamp(x / 2, small[0]?.length ?? 0)] ?? 0);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) =>
      LOW_PASS.reduce(
        (sum, a, i) => sum + LOW_PASS.reduce((row, b, j) => row + a * b * at(y + i - 2, x + j - 2), 0),
        0,
      ),
    ),
  );
}

const minus = (a: Plane, b: Plane): Plane => a.map((row, y) => row.map((value, x) => value - (b[y]?.[x] ?? 0)));
