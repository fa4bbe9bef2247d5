import brisqueModel from '../../../metadata/models/brisque.json' with { type: 'json' };
import niqeModel from '../../../metadata/models/niqe.json' with { type: 'json' };
import { digestOf } from '../../kernel/canonical-json.ts';
import { Fault } from '../../kernel/errors.ts';
import type { PixelMetric } from '../engine.ts';
import type { Pixels } from '../pixels.ts';
import { brisque } from './brisque.ts';
import { entropy } from './entropy.ts';
import { niqe } from './niqe.ts';
import { piqe } from './piqe.ts';

const FLAT = 'its surface is too even for natural-scene statistics; score it by entropy, or by a full-reference tool';

/** The no-reference metrics that are computed over bytes. */
export const pixelMetrics: readonly PixelMetric[] = [
  // One whole block of 96 x 96 pixels.
  metric('niqe', 96, niqe, FLAT),
  // The side of its window of local contrast.
  metric('brisque', 7, brisque, FLAT),
  // Mirrored to twice its size, the picture must hold one block of 16 x 16 pixels.
  metric('piqe', 8, piqe, FLAT),
  metric('entropy', 1, entropy, FLAT),
];

/** SHA-256 over the figures a metric reads: what its scores depend on besides the code. */
export const pixelDigest = (name: string): string => digestOf({ name, figures: FIGURES[name] ?? null });

const FIGURES: Readonly<Record<string, unknown>> = { niqe: niqeModel, brisque: brisqueModel };

function metric(name: string, minimumSide: number, compute: (picture: Pixels) => number, cure: string): PixelMetric {
  const score = (picture: Pixels): number => {
    const { width, height } = picture;
    if (Math.min(width, height) < minimumSide) {
      throw new Fault(
        'InvalidInput',
        `${name} needs ${minimumSide} pixels on each side, the picture has ${width} x ${height}`,
        {
          tool: name,
          minimum_side: minimumSide,
          width,
          height,
        },
      );
    }
    const value = compute(picture);
    if (Number.isFinite(value)) return value;
    throw new Fault('InvalidInput', `${name} is undefined for this picture of ${width} x ${height}: ${cure}`, {
      tool: name,
    });
  };
  return { name, minimumSide, score };
}
