import type { Size } from '../metric.ts';

export const scaleCount = 4;
const orientationCount = 4;

/** The log-Gabor filters: each is a radial gain times an angular gain. */
export interface PhaseFilters {
  /** The gains of all scales, times 1 / (width height): [rows / 4, columns, scales, 4 rows]. */
  readonly radial: Float32Array;
  readonly orientations: readonly {
    /** [rows / 4, columns, 4 rows]. */
    readonly angular: Float32Array;
    /** The noise threshold as a multiple of the median amplitude at the finest scale. */
    readonly threshold: number;
  }[];
}

export function phaseFilters(size: Size): PhaseFilters {
  const { radial, theta } = polarGrid(size);
  return {
    radial: inLanes(radial, size, 1 / (size.width * size.height)),
    orientations: Array.from({ length: orientationCount }, (_, orientation) => {
      const angular = angularGains(theta, (orientation * Math.PI) / orientationCount);
      const threshold = noiseFactor * Math.sqrt(noiseRatio(radial, angular, size) / Math.LN2);
      return { angular: inLanes([angular], size, 1), threshold };
    }),
  };
}

/** Interleaves four rows at a time, padded with zeros. */
function inLanes(planes: readonly Float64Array[], { width, height }: Size, scale: number): Float32Array {
  const lanes = new Float32Array(4 * Math.ceil(height / 4) * width * planes.length);
  planes.forEach((plane, index) => {
    for (let row = 0, at = 0; row < height; row++) {
      const start = (row >> 2) * width;
      for (let column = 0; column < width; column++, at++) {
        lanes[((start + column) * planes.length + index) * 4 + (row & 3)] = (plane[at] as number) * scale;
      }
    }
  });
  return lanes;
}

/** Energy of all scales divided by that of the finest one, for the even part of the filters (Parseval). */
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

// Mean plus two deviations of Rayleigh noise, divided by the reference's correction of 1.7.
const noiseFactor = (Math.sqrt(Math.PI / 2) + 2 * Math.sqrt(2 - Math.PI / 2)) / 1.7;

/** The radial gains of each scale, and the direction of each frequency. */
function polarGrid({ width, height }: Size) {
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
      theta[at] = Math.atan2(-b, a);
      // No filter passes zero frequency.
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

/** The frequency of each index in cycles per pixel; an odd length is divided by n - 1, as in the reference. */
const frequencies = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, index) => {
    const shifted = (index + Math.floor(length / 2)) % length;
    return length % 2 === 0 ? (shifted - length / 2) / length : (shifted - (length - 1) / 2) / (length - 1);
  });
