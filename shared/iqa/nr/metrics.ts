import brisqueModel from '../../../metadata/models/brisque.json' with { type: 'json' };
import niqeModel from '../../../metadata/models/niqe.json' with { type: 'json' };
import { digestOf } from '../../kernel/canonical-json.ts';
import { Fault } from '../../kernel/errors.ts';
import type { PixelMetric } from '../engine.ts';
import type { RowRange, Size } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { brisque, brisqueSums } from './brisque.ts';
import { entropy } from './entropy.ts';
import { niqe } from './niqe.ts';
import { piqe, piqeSums } from './piqe.ts';

const FLAT = 'its surface is too even for natural-scene statistics; score it by entropy, or by a full-reference tool';

// Blocks of piqe and both scales of brisque line up with parts of so many rows.
const ROWS = 16;

/** The no-reference metrics that are computed over bytes. */
export const pixelMetrics: readonly PixelMetric[] = [
  // One whole block of 96 x 96 pixels.
  wholeMetric('niqe', 96, niqe),
  // The side of its window of local contrast.
  metric({ name: 'brisque', minimumSide: 7, rowUnit: 2 * ROWS, sums: brisqueSums, finish: brisque }),
  // Mirrored to twice its size, the picture must hold one block of 16 x 16 pixels.
  metric({ name: 'piqe', minimumSide: 8, rowUnit: ROWS, sums: piqeSums, finish: piqe }),
  wholeMetric('entropy', 1, entropy),
];

/** SHA-256 over the figures a metric reads: what its scores depend on besides the code. */
export const pixelDigest = (name: string): string => digestOf({ name, figures: FIGURES[name] ?? null });

const FIGURES: Readonly<Record<string, unknown>> = { niqe: niqeModel, brisque: brisqueModel };

/** A metric that one thread computes. */
function wholeMetric(name: string, minimumSide: number, compute: (picture: Pixels) => number): PixelMetric {
  const sums = (picture: Pixels): Float64Array => Float64Array.of(compute(picture));
  return metric({
    name,
    minimumSide,
    rowUnit: Number.MAX_SAFE_INTEGER,
    sums,
    finish: ([value = Number.NaN]) => value,
  });
}

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
  const sums = (picture: Pixels, rows: RowRange): Float64Array => {
    const { width, height } = picture;
    if (Math.min(width, height) >= minimumSide) return own.sums(picture, rows);
    throw new Fault(
      'InvalidInput',
      `${name} needs ${minimumSide} pixels on each side, the picture has ${width} x ${height}`,
      { tool: name, minimum_side: minimumSide, width, height },
    );
  };
  return { ...own, sums, finish };
}
