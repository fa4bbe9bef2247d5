import type { Size } from '../metric.ts';
import { gatherInformation } from './band.ts';
import { gatherCovariance } from './covariance.ts';
import { filteredRows, filterRow, type Rows, type Scratch } from './rows.ts';
import { bandAcross, bandDown, low } from './sp5-filters.ts';
import { gatherWindows } from './windows.ts';

const BLOCK = 3;
/** From the first row of a block to the last row of the widest window around it. */
const BLOCK_TO_WINDOW_END = 12;

/** Called with each row as work reaches it. */
export type Progress = (y: number) => void;

/** Compares the bands of both pictures at one level, 0 being the finest; a band that is too small adds nothing. */
export const compareLevel = (scratch: Scratch, x: Rows, y: Rows, level: number, progress: Progress) => {
  const size = { width: x.width - (x.width % BLOCK), height: x.height - (x.height % BLOCK) };
  const side = 2 ** (4 - level) + 1;
  const bands = [
    { name: 'bandDown', filter: bandDown },
    { name: 'bandAcross', filter: bandAcross },
  ].map(({ name, filter }) => ({
    reference: filteredRows(scratch, x, name, filter, BLOCK_TO_WINDOW_END),
    distorted: filteredRows(scratch, y, name, filter, 1),
  }));
  const covariances = bands.map(({ reference }) => {
    const middle = reference.at(size.height >> 1) + (size.width >> 1);
    return gatherCovariance(scratch, size, scratch.numbers()[middle] as number);
  });
  const halfX = halved(scratch, x);
  eachRow(x, progress, (row) => {
    if (row < size.height)
      for (const [at, { reference }] of bands.entries()) covariances[at]?.add(row, reference.at(row));
    halfX.add(row);
  });
  const compared = bands.map(({ reference }, at) => {
    const information = gatherInformation(covariances[at]?.finish() as Float64Array);
    const windows = gatherWindows(scratch, size, side, (blockRow, gains) => {
      const rows = [0, 1, 2].map((row) => reference.at(BLOCK * blockRow + row) + BLOCK * windows.margin);
      information.add(scratch.numbers(), rows as [number, number, number], gains);
    });
    return { windows, information };
  });
  const halfY = halved(scratch, y);
  eachRow(x, progress, (row) => {
    if (row < size.height)
      for (const [at, { reference, distorted }] of bands.entries())
        compared[at]?.windows.add(row, reference.at(row), distorted.at(row));
    halfY.add(row);
  });
  return {
    information: compared.map(({ information }) => information.total()),
    halfX: halfX.plane,
    halfY: halfY.plane,
  };
};

const eachRow = ({ height }: Size, progress: Progress, visit: (row: number) => void): void => {
  for (let row = 0; row < height; row++) {
    progress(row);
    visit(row);
  }
};

export interface HalfPlane extends Size {
  readonly data: Float64Array;
}

/** Low-passes and takes every second row and column; rows are added in order. */
const halved = (scratch: Scratch, source: Rows) => {
  const [width, height] = [Math.ceil(source.width / 2), Math.ceil(source.height / 2)];
  const plane: HalfPlane = { width, height, data: new Float64Array(width * height) };
  const target = scratch.allocate(source.width + 2);
  const add = (row: number): void => {
    if (row % 2 === 1) return;
    filterRow(scratch, source, 'low', low.side, row, target);
    const numbers = scratch.numbers();
    for (let from = target, at = (row / 2) * width, end = at + width; at < end; at++, from += 2)
      plane.data[at] = numbers[from] as number;
  };
  return { plane, add };
};
