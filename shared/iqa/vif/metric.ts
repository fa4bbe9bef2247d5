import { Fault } from '../../kernel/errors.ts';
import type { WholeMetric } from '../metric.ts';
import { lumaBytes, type Plane } from '../nr/luma.ts';
import type { Information } from './band.ts';
import { vifKernels } from './kernels.ts';
import { compareLevel } from './level.ts';
import { createScratch, filteredRows, planeRows } from './rows.ts';
import { bandDown, low, lowFirst } from './sp5-filters.ts';

const LEVELS = 4;

/**
 * Visual information fidelity on two orientations of a steerable pyramid; above 1 for a contrast gain. Row by row in
 * float64, not a graph: in float32 the rounding of smooth slopes would be taken for their information.
 */
export const vif: WholeMetric = {
  kind: 'whole',
  name: 'vif',
  // On the coarsest level the widest filter must still be mirrored.
  minimumSide: 33,
  figures: { lowFirst, low, bandDown },
  graphs: () => [],
  async score({ picture, reference }, runner) {
    if (isEqual(picture.data, reference.data)) return 1;
    const luma = lumaBytes(reference);
    checkContent(luma);
    // Whoever gave up is noticed now and then, not at each row.
    const progress = (row: number): void => {
      if (row % 64 === 0) runner.throwIfGivenUp();
    };
    const scratch = createScratch(vifKernels());
    let [x, y] = [luma, lumaBytes(picture)].map((plane) =>
      filteredRows(scratch, planeRows(scratch, plane, plane.data), 'lowFirst', lowFirst),
    ) as [ReturnType<typeof planeRows>, ReturnType<typeof planeRows>];
    const all: Information[] = [];
    for (let level = 0; level < LEVELS; level++) {
      const { information, halfX, halfY } = compareLevel(scratch, x, y, level, progress);
      all.push(...information);
      [x, y] = [planeRows(scratch, halfX, halfX.data), planeRows(scratch, halfY, halfY.data)];
    }
    const sum = (of: keyof Information): number => all.reduce((total, each) => total + each[of], 0);
    return sum('distorted') / (sum('reference') + 1e-12);
  },
};

/** Also of what has no structure: of a slope or of one brightness nothing but rounding would be compared. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);

function checkContent({ data }: Plane<Uint8Array>): void {
  if (data.some((value) => value !== data[0])) return;
  const text = 'vif is undefined for a reference of one brightness, which has no information; use ssim or psnr for it';
  throw new Fault('InvalidInput', text, { tool: 'vif' });
}
