/** The statistics of samples that a fit of the asymmetric generalised Gaussian needs. */
export interface Moments {
  readonly count: number;
  readonly negatives: number;
  readonly positives: number;
  readonly squaresBelow: number;
  readonly squaresAbove: number;
  readonly magnitudes: number;
}

const FIELDS = ['count', 'negatives', 'positives', 'squaresBelow', 'squaresAbove', 'magnitudes'] as const;

/** Moments as an array that can be added to those of other samples. */
export const packMoments = (all: readonly Moments[]): Float64Array =>
  Float64Array.from(all.flatMap((moments) => FIELDS.map((field) => moments[field])));

export const unpackMoments = (numbers: Float64Array): readonly Moments[] =>
  Array.from({ length: numbers.length / FIELDS.length }, (_, index) => {
    const own = numbers.subarray(index * FIELDS.length, (index + 1) * FIELDS.length);
    return Object.fromEntries(FIELDS.map((field, at) => [field, own[at]])) as unknown as Moments;
  });

export interface Aggd {
  readonly alpha: number;
  readonly left: number;
  readonly right: number;
}

/** Fits alpha, on a grid of 9801 values, and the two deviations, which are NaN if a side has no sample. */
export const fitAggd = (moments: Moments): Aggd => {
  const left = Math.sqrt(moments.squaresBelow / moments.negatives);
  const right = Math.sqrt(moments.squaresAbove / moments.positives);
  const g = left / right;
  const meanSquare = (moments.squaresBelow + moments.squaresAbove) / moments.count;
  const ratio = ((moments.magnitudes / moments.count) ** 2 / meanSquare) * asymmetry(g);
  return { alpha: estimateAlpha(RATIOS, ratio), left, right };
};

/** Fits the symmetric generalised Gaussian: its alpha and the mean square. */
export const fitGgd = (moments: Moments): { readonly alpha: number; readonly meanSquare: number } => {
  const meanSquare = (moments.squaresBelow + moments.squaresAbove) / moments.count;
  return { alpha: estimateAlpha(INVERSE_RATIOS, meanSquare / (moments.magnitudes / moments.count) ** 2), meanSquare };
};

/** The gamma function of a positive number. */
export const gamma = (x: number): number => Math.exp(logGamma(x));

const asymmetry = (g: number): number => ((g ** 3 + 1) * (g + 1)) / (g ** 2 + 1) ** 2;

const LANCZOS = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
] as const;

const logGamma = (x: number): number => {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  let sum: number = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++) sum += (LANCZOS[i] as number) / (shifted + i);
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
};

const ALPHAS = Float64Array.from({ length: 9801 }, (_, i) => Math.fround(0.2 + 0.001 * i));
const RATIOS = ALPHAS.map((alpha) => Math.exp(2 * logGamma(2 / alpha) - logGamma(1 / alpha) - logGamma(3 / alpha)));
const INVERSE_RATIOS = RATIOS.map((ratio) => 1 / ratio);

// Both tables are monotone, so bisection finds the nearest entry; the first of two that are equally near.
const estimateAlpha = (table: Float64Array, wanted: number): number => {
  if (Number.isNaN(wanted)) return ALPHAS[0] as number;
  const rising = (table[0] as number) < (table[table.length - 1] as number);
  let low = 0;
  let high = table.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (rising === (table[middle] as number) < wanted) low = middle;
    else high = middle;
  }
  const nearer = Math.abs((table[high] as number) - wanted) < Math.abs((table[low] as number) - wanted) ? high : low;
  return ALPHAS[nearer] as number;
};
