import type { Size } from '../metric.ts';
import { halfCount } from './fourier-tables.ts';

export const scaleCount = 4;
const orientationCount = 4;

/** The filters of one orientation over a quarter of the spectrum, and its mirror image in the other row frequencies. */
export interface OrientationFilters {
  /** (F(k) + F(-k)) / 2 and (F(k) - F(-k)) / 2: [2 signs of the row frequency, scales, half rows, half columns]. */
  readonly even: Float32Array;
  readonly odd: Float32Array;
  /** The noise threshold over the median amplitude of the finest scale. */
  readonly threshold: number;
}

/** The log-Gabor filters of all orientations. `turned` says that rows and columns of the picture were exchanged. */
export function orientationFilters(size: Size, turned: boolean): readonly OrientationFilters[] {
  const { radial, theta } = polarGrid(size, turned);
  return Array.from({ length: orientationCount }, (_, orientation) => {
    const angular = angularGains(theta, (orientation * Math.PI) / orientationCount);
    const ratio = noiseRatio(radial, angular, size);
    return { ...halves(radial, angular, size), threshold: noiseFactor * Math.sqrt(ratio / Math.LN2) };
  });
}

function halves(radial: readonly Float64Array[], angular: Float64Array, { width, height }: Size) {
  const [halfWidth, halfHeight] = [halfCount(width), halfCount(height)];
  const even = new Float32Array(2 * scaleCount * halfHeight * halfWidth);
  const odd = new Float32Array(even.length);
  let target = 0;
  for (const sign of [1, -1]) {
    for (const gains of radial) {
      for (let row = 0; row < halfHeight; row++) {
        const line = ((sign * row + height) % height) * width;
        const mirrorLine = ((height - sign * row) % height) * width;
        for (let column = 0; column < halfWidth; column++, target++) {
          const at = line + column;
          const mirror = mirrorLine + (column === 0 ? 0 : width - column);
          const forward = (gains[at] as number) * (angular[at] as number);
          const back = (gains[mirror] as number) * (angular[mirror] as number);
          even[target] = (forward + back) / 2;
          odd[target] = (forward - back) / 2;
        }
      }
    }
  }
  return { even, odd };
}

/** Energy of all scales together over that of the finest, of the filters' even part (Parseval). */
function noiseRatio(radial: readonly Float64Array[], angular: Float64Array, { width, height }: Size): number {
  const [finestGains] = radial as [Float64Array];
  const together = new Float64Array(width * height);
  let finest = 0;
  for (const gains of radial) {
    for (let at = 0; at < together.length; at++) {
      together[at] = (together[at] as number) + (gains[at] as number) * (angular[at] as number);
    }
  }
  let all = 0;
  for (let row = 0, at = 0; row < height; row++) {
    const mirrorLine = ((height - row) % height) * width;
    for (let column = 0; column < width; column++, at++) {
      const mirror = mirrorLine + (column === 0 ? 0 : width - column);
      const sum = ((together[at] as number) + (together[mirror] as number)) / 2;
      const gain = (finestGains[at] as number) * (angular[at] as number);
      all += sum * sum;
      finest += gain * gain;
    }
  }
  return all / finest;
}

// Mean plus two deviations of Rayleigh noise, and the correction of the reference.
const noiseFactor = (Math.sqrt(Math.PI / 2) + 2 * Math.sqrt(2 - Math.PI / 2)) / 1.7;

/** What orientations share: the gain of each scale by distance from zero frequency, and the direction. */
function polarGrid({ width, height }: Size, turned: boolean) {
  const theta = new Float64Array(width * height);
  const radial = Array.from({ length: scaleCount }, () => new Float64Array(width * height));
  const rows = frequencies(height);
  const columns = frequencies(width);
  const wavelengths = radial.map((_, scale) => Math.log(6 * 2 ** scale));
  const narrowness = 1 / (2 * Math.log(0.55) ** 2);
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++, at++) {
      const a = rows[row] as number;
      const b = columns[column] as number;
      theta[at] = turned ? Math.atan2(-a, b) : Math.atan2(-b, a);
      // Zero frequency passes no filter.
      if (at === 0) continue;
      const squared = a * a + b * b;
      const logarithm = Math.log(squared) / 2;
      const lowPass = 1 / (1 + (squared / 0.45 ** 2) ** 15);
      for (let scale = 0; scale < scaleCount; scale++) {
        const relative = logarithm + (wavelengths[scale] as number);
        (radial[scale] as Float64Array)[at] = lowPass * Math.exp(-relative * relative * narrowness);
      }
    }
  }
  return { radial, theta };
}

const angularDeviation = Math.PI / 4.8;

function angularGains(theta: Float64Array, angle: number): Float64Array {
  const gains = new Float64Array(theta.length);
  for (let at = 0; at < gains.length; at++) {
    const turn = Math.abs((theta[at] as number) - angle);
    const distance = turn > Math.PI ? 2 * Math.PI - turn : turn;
    gains[at] = Math.exp(-(distance * distance) / (2 * angularDeviation * angularDeviation));
  }
  return gains;
}

/** The frequency of each index in cycles a pixel; an odd axis is divided by n - 1, as in the reference. */
const frequencies = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, index) => {
    const shifted = (index + Math.floor(length / 2)) % length;
    return length % 2 === 0 ? (shifted - length / 2) / length : (shifted - (length - 1) / 2) / (length - 1);
  });
