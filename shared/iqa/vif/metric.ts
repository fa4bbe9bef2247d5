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
 * Visual information fidelity on two orientations of a steerable pyramid; above 1 for a contrast gain. Computed row by
 * row in float64 instead of a graph: in float32 the rounding errors of smooth slopes would count as information.
 */
export const vif: WholeMetric = {
  kind: 'whole',
  name: 'vif',
  // The coarsest level must be large enough to mirror at the widest filter.
  minimumSide: 33,
  figures: { lowFirst, low, bandDown },
  graphs: () => [],
  async score({ picture, reference }, runner) {
    if (isEqual(picture.data, reference.data)) return 1;
    const luma = lumaBytes(reference);
    checkContent(luma);
    // Checked every 64 rows, because a check per row is too slow.
    const progress = (row: number): void => {
      if (row % 64 === 0) runner.throwIfAborted();
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

/** Equal pictures score 1 even without structure; a slope or one brightness would otherwise compare rounding errors. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);

function checkContent({ data }: Plane<Uint8Array>): void {
  if (data.some((value) => value !== data[0])) return;
  const text = 'vif is undefined for a reference of one brightness, which has no information; use ssim or psnr for it';
  throw new Fault('InvalidInput', text, { tool: 'vif' });
}
