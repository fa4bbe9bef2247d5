import brisqueModel from '../../../metadata/models/brisque.json' with { type: 'json' };
import niqeModel from '../../../metadata/models/niqe.json' with { type: 'json' };
import { digestOf } from '../../kernel/canonical-json.ts';
import { Fault } from '../../kernel/errors.ts';
import type { PixelMetric } from '../engine.ts';
import type { RowRange, Size } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { brisque, brisqueSums } from './brisque.ts';
import { entropy, entropySums } from './entropy.ts';
import { type SharedLuma, shareLuma } from './luma.ts';
import { niqe, niqeSums } from './niqe.ts';
import { piqe, piqeSums } from './piqe.ts';

const FLAT = 'its surface is too even for natural-scene statistics; score it by entropy, or by a full-reference tool';

// Parts of this many rows align with the blocks of piqe and both scales of brisque; niqe's blocks need six times as many.
const ROWS = 16;

/** The no-reference metrics that ship. */
export const pixelMetrics: readonly PixelMetric[] = [
  // One whole block of 96 x 96 pixels.
  metric({ name: 'niqe', minimumSide: 96, rowUnit: 6 * ROWS, sums: niqeSums, finish: niqe }),
  // The side of its contrast window.
  metric({ name: 'brisque', minimumSide: 7, rowUnit: 2 * ROWS, sums: brisqueSums, finish: brisque }),
  // Mirrored to twice its size, the picture must contain one block of 16 x 16 pixels.
  metric({ name: 'piqe', minimumSide: 8, rowUnit: ROWS, sums: piqeSums, finish: piqe }),
  metric({ name: 'entropy', minimumSide: 1, rowUnit: ROWS, sums: entropySums, finish: entropy }),
];

/** SHA-256 over the figures of a metric, which its scores depend on besides the code. */
export const pixelDigest = (name: string): string => digestOf({ name, figures: FIGURES[name] ?? null });

const FIGURES: Readonly<Record<string, unknown>> = { niqe: niqeModel, brisque: brisqueModel };

/** The sums of several metrics over the same rows, computing their luma once. */
export const sumsTogether = (names: readonly string[], picture: Pixels, rows: RowRange): readonly Float64Array[] => {
  const luma = shareLuma(picture, rows);
  return names.map((name) => {
    const own = pixelMetrics.find((each) => each.name === name);
    if (!own) throw new Error(`there is no pixel metric ${name}`);
    return own.sums(picture, rows, luma);
  });
};

function metric(own: PixelMetric): PixelMetric {
  const { name, minimumSide } = own;
  const finish = (sums: Float64Array, picture: Size): number => {
    const { width, height } = picture;
    const value = own.finish(sums, picture);
    if (Number.isFinite(value)) return value;
    throw new Fault('InvalidInput', `${name} is undefined for this picture of ${width} x ${height}: ${FLAT}`, {
      tool: name,
    });
  };
  const sums = (picture: Pixels, rows: RowRange, luma?: SharedLuma): Float64Array => {
    const { width, height } = picture;
    if (Math.min(width, height) >= minimumSide) return own.sums(picture, rows, luma);
    throw new Fault(
      'InvalidInput',
      `${name} needs ${minimumSide} pixels on each side, the picture has ${width} x ${height}`,
      { tool: name, minimum_side: minimumSide, width, height },
    );
  };
  return { ...own, sums, finish };
}
