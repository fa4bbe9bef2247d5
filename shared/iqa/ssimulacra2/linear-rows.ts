import figures from '../../../metadata/models/ssimulacra2.json' with { type: 'json' };
import type { Pixels } from '../pixels.ts';
import { cubeRoot } from '../roots.ts';

const LINEAR = Float32Array.from(figures.linear);

/** Converts a row of a picture to linear light, with red, green and blue interleaved. */
export function linearRow({ width, data }: Pixels, y: number, row: Float32Array): void {
  const start = y * width * 3;
  for (let at = 0; at < row.length; at++) row[at] = LINEAR[data[start + at] as number] as number;
}

/** Averages 2 x 2 pixels of two rows; the last column of an odd width counts twice. */
export function halveRows(upper: Float32Array, lower: Float32Array, half: Float32Array): void {
  const last = upper.length - 3;
  for (let at = 0, left = 0; at < half.length; left += 6) {
    const right = Math.min(left + 3, last);
    for (let channel = 0; channel < 3; channel++, at++) {
      const above = Math.fround((upper[left + channel] as number) + (upper[right + channel] as number));
      const three = Math.fround(above + (lower[left + channel] as number));
      half[at] = 0.25 * Math.fround(three + (lower[right + channel] as number));
    }
  }
}

const float = Math.fround;
const add = (a: number, b: number): number => float(a + b);
// JPEG XL's opsin absorbance matrix (cones by red, green and blue) and bias.
const [LR, LB, MR, MB] = [float(0.3), float(0.078), float(0.23), float(0.078)];
const [SR, SG] = [float(0.24342268924547819), float(0.20476744424496821)];
const [LG, MG, SB] = [add(add(1, -LB), -LR), add(add(1, -MB), -MR), add(add(1, -SR), -SG)];
const BIAS = float(0.0037930732552754493);
const ROOT = float(Math.cbrt(BIAS));

/** One channel of XYB of a linear row, made positive: X * 14 + 0.42, Y + 0.01 or B - Y + 0.55, each step in float32. */
export function xybRow(linear: Float32Array, channel: number, row: Float32Array): void {
  for (let at = 0, source = 0; at < row.length; at++, source += 3) {
    const [red, green, blue] = [linear[source] as number, linear[source + 1] as number, linear[source + 2] as number];
    const long = cone(LR, LG, LB, red, green, blue);
    const middle = cone(MR, MG, MB, red, green, blue);
    const luma = 0.5 * float(long + middle);
    if (channel === 0) row[at] = 0.5 * float(long - middle) * 14 + float(0.42);
    else if (channel === 1) row[at] = luma + float(0.01);
    else row[at] = float(cone(SR, SG, SB, red, green, blue) - luma) + float(0.55);
  }
}

function cone(r: number, g: number, b: number, red: number, green: number, blue: number): number {
  const mixed = float(r * red + float(g * green + float(b * blue + BIAS)));
  return float(float(cubeRoot(mixed)) - ROOT);
}
