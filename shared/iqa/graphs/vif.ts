import { Fault } from '../../kernel/errors.ts';
import type { GraphRunner, WholeMetric } from '../metric.ts';
import { lumaBytes } from '../nr/luma.ts';
import type { Pixels } from '../pixels.ts';
import { filterPlane, type Plane, planeFilter } from './plane-filter.ts';
import { bandAcross, bandDown, low, lowFirst } from './sp5-filters.ts';
import { bandInformation } from './vif-band.ts';

const first = planeFilter('vif_first', lowFirst);
const halving = planeFilter('vif_halving', low, 2);
const bands = [planeFilter('vif_down', bandDown), planeFilter('vif_across', bandAcross)];
const levelCount = 4;
const mostPixels = 36e6;

/** Visual information fidelity on two orientations of a steerable pyramid; above 1 for a contrast gain. */
export const vif: WholeMetric = {
  kind: 'whole',
  name: 'vif',
  // On the coarsest level the widest filter must still be mirrored.
  minimumSide: 33,
  graphs: () => [first, halving, ...bands].map((filter) => filter.graph()),
  async score({ picture, reference }, runner) {
    checkSize(picture);
    if (isEqual(picture.data, reference.data)) return 1;
    const luma = lumaPlane(reference);
    checkContent(luma);
    let x = await filterPlane(luma, first, runner);
    let y = await filterPlane(lumaPlane(picture), first, runner);
    let [distorted, whole] = [0, 0];
    for (let level = 0; level < levelCount; level++) {
      for (const band of bands) {
        const information = bandInformation(
          await filterPlane(x, band, runner),
          await filterPlane(y, band, runner),
          level,
        );
        distorted += information.distorted;
        whole += information.reference;
      }
      [x, y] = await halve(x, y, runner);
    }
    return distorted / (whole + 1e-12);
  },
};

async function halve(x: Plane, y: Plane, runner: GraphRunner): Promise<[Plane, Plane]> {
  return [await filterPlane(x, halving, runner), await filterPlane(y, halving, runner)];
}

function lumaPlane(pixels: Pixels): Plane {
  const { width, height, data } = lumaBytes(pixels);
  return { width, height, data: new Float32Array(data) };
}

/** Also of what has no structure: of a slope or of one brightness nothing but rounding would be compared. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);

function checkContent({ data }: Plane): void {
  if (data.some((value) => value !== data[0])) return;
  const text = 'vif is undefined for a reference of one brightness, which has no information; use ssim or psnr for it';
  throw new Fault('InvalidInput', text, { tool: 'vif' });
}

function checkSize({ width, height }: Pixels): void {
  if (width * height <= mostPixels) return;
  const text = `vif keeps several planes of the picture in memory and takes ${mostPixels / 1e6} megapixels, not ${width} x ${height}; make it smaller, or use ssim, ms_ssim or gmsd`;
  throw new Fault('InvalidInput', text, { tool: 'vif', width, height, limit_pixels: mostPixels });
}
