import type { Size } from '../metric.ts';
import type { Kernels } from '../wasm/instance.ts';
import { MARGIN } from './kernels.ts';
import type { Sp5Filter } from './sp5-filters.ts';

/** The kernels' memory, divided among rows. Read it only after everything has been allocated. */
export interface Scratch {
  readonly kernels: Kernels;
  /** The index of this many float64 numbers. */
  allocate(count: number): number;
  numbers(): Float64Array;
}

export const createScratch = (kernels: Kernels): Scratch => {
  let used = 0;
  let view: Float64Array | undefined;
  return {
    kernels,
    allocate(count) {
      const at = used;
      used += 2 * Math.ceil(count / 2);
      view = undefined;
      return at;
    },
    numbers() {
      view ??= new Float64Array(kernels.reserve(8 * used));
      return view;
    },
  };
};

/** Rows of a plane, computed on demand, preferably from top to bottom; the last ones are cached. */
export interface Rows extends Size {
  /** The index of a row's first number; MARGIN numbers before and after the row mirror the plane at its border pixels. */
  at(y: number): number;
}

/** How many rows are cached: the height of the widest filter. */
const CACHED_ROWS = 2 * MARGIN + 1;

/** The rows of a plane in ordinary memory. */
export const planeRows = (scratch: Scratch, size: Size, data: Uint8Array | Float64Array): Rows =>
  cachedRows(scratch, size, CACHED_ROWS, (y, target) => {
    scratch.numbers().set(data.subarray(y * size.width, (y + 1) * size.width), target);
  });

/** A plane filtered by the kernel of that name; the border is mirrored without repeating the border pixel. */
export const filteredRows = (
  scratch: Scratch,
  source: Rows,
  name: string,
  { side }: Sp5Filter,
  kept = CACHED_ROWS,
): Rows => cachedRows(scratch, source, kept, (y, target) => filterRow(scratch, source, name, side, y, target));

/** One filtered row. */
export const filterRow = (
  { kernels }: Scratch,
  source: Rows,
  name: string,
  side: number,
  y: number,
  target: number,
): void => {
  const addresses = Array.from({ length: side }, (_, row) => {
    const from = source.at(mirrored(y + row - (side - 1) / 2, source.height));
    return 8 * (from - MARGIN);
  });
  kernels.run(name, ...addresses, 8 * target, 8 * (target + source.width));
};

const cachedRows = (
  scratch: Scratch,
  { width, height }: Size,
  kept: number,
  make: (y: number, target: number) => void,
): Rows => {
  // Vectors may write one number past the end before the margin is filled.
  const stride = width + 2 * MARGIN + 2;
  const start = scratch.allocate(kept * stride) + MARGIN;
  const cached = new Array<number>(kept).fill(-1);
  return {
    width,
    height,
    at(y) {
      const slot = y % kept;
      const at = start + slot * stride;
      if (cached[slot] === y) return at;
      make(y, at);
      const numbers = scratch.numbers();
      for (let step = 1; step <= MARGIN; step++) {
        numbers[at - step] = numbers[at + step] as number;
        numbers[at + width - 1 + step] = numbers[at + width - 1 - step] as number;
      }
      cached[slot] = y;
      return at;
    },
  };
};

const mirrored = (index: number, length: number): number => {
  const positive = Math.abs(index);
  return positive < length ? positive : 2 * (length - 1) - positive;
};
