import type { Size } from '../metric.ts';
import { halfCount } from './fourier-tables.ts';

export const scaleCount = 4;
export const orientationCount = 4;

/** The filters of one orientation over a quarter of the spectrum, and its mirror image in the other row frequencies. */
export interface OrientationFilters {
  /** (F(k) + F(-k)) / 2 and (F(k) - F(-k)) / 2: [2 signs of the row frequency, scales, half rows, half columns]. */
  readonly even: Float32Array;
  readonly odd: Float32Array;
  /** The noise threshold over the median amplitude of the finest scale. */
  readonly threshold: number;
}

/** The log-Gabor filters of one orientation. `turned` says that rows and columns of the picture were exchanged. */
export function orientationFilters(orientation: number, size: Size, turned: boolean): OrientationFilters {
  const { width, height } = size;
  const [halfWidth, halfHeight] = [halfCount(width), halfCount(height)];
  const gain = filterGains(orientation, size, turned);
  const even = new Float32Array(2 * scaleCount * halfHeight * halfWidth);
  const odd = new Float32Array(even.length);
  let target = 0;
  for (const sign of [1, -1]) {
    for (let scale = 0; scale < scaleCount; scale++) {
      for (let row = 0; row < halfHeight; row++) {
        const at = ((sign * row + height) % height) * width;
        const mirror = ((height - sign * row) % height) * width;
        for (let column = 0; column < halfWidth; column++, target++) {
          const [forward, back] = [gain(scale, at + column), gain(scale, mirror + ((width - column) % width))];
          even[target] = (forward + back) / 2;
          odd[target] = (forward - back) / 2;
        }
      }
    }
  }
  return { even, odd, threshold: noiseFactor * Math.sqrt(noiseRatio(gain, size) / Math.LN2) };
}

/** Energy of all scales together over that of the finest, of the filters' even part (Parseval). */
function noiseRatio(gain: ReturnType<typeof filterGains>, { width, height }: Size): number {
  let [all, finest] = [0, 0];
  for (let row = 0, at = 0; row < height; row++) {
    const mirrorRow = ((height - row) % height) * width;
    for (let column = 0; column < width; column++, at++) {
      const mirror = mirrorRow + ((width - column) % width);
      let sum = 0;
      for (let scale = 0; scale < scaleCount; scale++) sum += (gain(scale, at) + gain(scale, mirror)) / 2;
      all += sum * sum;
      finest += gain(0, at) ** 2;
    }
  }
  return all / finest;
}

// Mean plus two deviations of Rayleigh noise, and the correction of the reference.
const noiseFactor = (Math.sqrt(Math.PI / 2) + 2 * Math.sqrt(2 - Math.PI / 2)) / 1.7;

function filterGains(orientation: number, { width, height }: Size, turned: boolean) {
  const angular = new Float64Array(width * height);
  const radial = Array.from({ length: scaleCount }, () => new Float64Array(width * height));
  const angle = (orientation * Math.PI) / orientationCount;
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++, at++) {
      const [a, b] = [frequency(row, height), frequency(column, width)];
      const [u, v] = turned ? [b, a] : [a, b];
      const radius = Math.hypot(u, v);
      const theta = Math.atan2(-v, u);
      const distance = Math.abs(Math.atan2(Math.sin(theta - angle), Math.cos(theta - angle)));
      angular[at] = Math.exp(-(distance ** 2) / (2 * angularDeviation ** 2));
      const lowPass = 1 / (1 + (radius / 0.45) ** 30);
      radial.forEach((plane, scale) => {
        plane[at] = at === 0 ? 0 : lowPass * logGabor(radius * 6 * 2 ** scale);
      });
    }
  }
  return (scale: number, at: number): number => (radial[scale]?.[at] as number) * (angular[at] as number);
}

const angularDeviation = Math.PI / 4.8;
const logGabor = (relative: number): number => Math.exp(-(Math.log(relative) ** 2) / (2 * Math.log(0.55) ** 2));

/** The frequency of an index in cycles a pixel; an odd axis is divided by n - 1, as in the reference. */
function frequency(index: number, length: number): number {
  const shifted = (index + Math.floor(length / 2)) % length;
  return length % 2 === 0 ? (shifted - length / 2) / length : (shifted - (length - 1) / 2) / (length - 1);
}
