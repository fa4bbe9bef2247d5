import type { Distortion } from '../../model/iqa.ts';
import type { EncodeOptions, IqaEngine } from '../engine.ts';
import type { Pixels } from '../pixels.ts';
import * as distort from './distort.ts';

/** One kind of distortion at five strengths, from barely visible to very annoying. */
export interface Rung {
  readonly kind: string;
  readonly category: Distortion;
  readonly strengths: readonly [number, number, number, number, number];
  readonly apply: distort.Distort | { readonly codec: EncodeOptions['format'] };
}

/** The distortions tools are measured and calibrated on: two or three kinds for every category. */
export const LADDER: readonly Rung[] = [
  { kind: 'gaussian blur', category: 'Blurs', strengths: [0.7, 1.2, 2, 3.2, 5], apply: distort.blur },
  { kind: 'motion blur', category: 'Blurs', strengths: [3, 5, 9, 15, 25], apply: distort.motionBlur },
  {
    kind: 'desaturation',
    category: 'Color distortions',
    strengths: [0.25, 0.45, 0.65, 0.85, 1],
    apply: distort.desaturate,
  },
  {
    kind: 'colour quantisation',
    category: 'Color distortions',
    strengths: [28, 16, 10, 6, 4],
    apply: distort.quantise,
  },
  { kind: 'colour fringes', category: 'Color distortions', strengths: [1, 2, 4, 7, 12], apply: distort.fringe },
  { kind: 'jpeg', category: 'Compression', strengths: [60, 35, 20, 10, 5], apply: { codec: 'jpeg' } },
  { kind: 'webp', category: 'Compression', strengths: [70, 45, 20, 8, 1], apply: { codec: 'webp' } },
  { kind: 'gaussian noise', category: 'Noise', strengths: [5, 10, 18, 30, 48], apply: distort.gaussianNoise },
  {
    kind: 'impulse noise',
    category: 'Noise',
    strengths: [0.004, 0.012, 0.03, 0.07, 0.14],
    apply: distort.impulseNoise,
  },
  { kind: 'brightening', category: 'Brightness change', strengths: [15, 32, 55, 85, 120], apply: distort.brighten },
  { kind: 'darkening', category: 'Brightness change', strengths: [-15, -32, -55, -85, -120], apply: distort.brighten },
  { kind: 'pixelation', category: 'Spatial distortions', strengths: [2, 3, 4, 7, 11], apply: distort.pixelate },
  { kind: 'jitter', category: 'Spatial distortions', strengths: [0.8, 1.6, 2.6, 4.2, 7], apply: distort.jitter },
  { kind: 'lost detail', category: 'Sharpness', strengths: [1.5, 2, 3, 4.5, 7], apply: distort.soften },
  { kind: 'oversharpening', category: 'Sharpness', strengths: [0.7, 1.5, 3, 5.5, 10], apply: distort.oversharpen },
  { kind: 'lower contrast', category: 'Contrast', strengths: [0.8, 0.62, 0.45, 0.3, 0.17], apply: distort.contrast },
  { kind: 'higher contrast', category: 'Contrast', strengths: [1.25, 1.6, 2.1, 2.9, 4.2], apply: distort.contrast },
];

/** The picture distorted at level 1 to 5. */
export const distortAtLevel = async (
  { apply, strengths }: Rung,
  level: number,
  pixels: Pixels,
  engine: Pick<IqaEngine, 'encode' | 'decode'>,
): Promise<Pixels> => {
  const strength = strengths[level - 1] as number;
  if (typeof apply === 'function') return apply(pixels, strength);
  const bytes = await engine.encode(pixels, { format: apply.codec, quality: strength });
  return (await engine.decode(bytes)).pixels;
};
