import { rootsOfUnity } from '../fourier/lengths.ts';
import type { Size } from '../metric.ts';

export const bandCount = 8;

/** The size of the coarsest level, an eighth of the picture. */
export const bandSize = ({ width, height }: Size): Size => ({
  width: Math.ceil(width / 8),
  height: Math.ceil(height / 8),
});

/** The signed frequency at an index of a centred spectrum. */
const frequencyAt = (index: number, count: number): number => index - Math.floor(count / 2);

/** k * j modulo n, also for negative k. */
const reduced = (frequency: number, sample: number, length: number): number => {
  const rest = (frequency * sample) % length;
  return rest < 0 ? rest + length : rest;
};

/** [cos | -sin] over the columns of the picture: [width, 2 * band width]. */
export function rowTable(width: number, count: number): Float32Array {
  const { cos, sin } = rootsOfUnity(width);
  return matrix(width, 2 * count, (sample, column) => {
    const index = reduced(frequencyAt(column % count, count), sample, width);
    return column < count ? cos(index) : -sin(index);
  });
}

/** [[C, S], [-S, C]] for some rows of the picture: [2 * band height, 2 * rows]. */
export function columnTable(height: number, count: number, from: number, rows: number): Float32Array {
  const { cos, sin } = rootsOfUnity(height);
  return matrix(2 * count, 2 * rows, (row, column) => {
    const index = reduced(frequencyAt(row % count, count), from + (column % rows), height);
    if (row < count === column < rows) return cos(index);
    return (row < count ? 1 : -1) * sin(index);
  });
}

/** [[C, -S], [S, C]]: the inverse transform along the columns of a band, whose parts are stacked. */
export function columnInverse(count: number): Float32Array {
  const { cos, sin } = rootsOfUnity(count);
  return matrix(2 * count, 2 * count, (row, column) => {
    const index = reduced(frequencyAt(column % count, count), row % count, count);
    if (row < count === column < count) return cos(index);
    return (row < count ? -1 : 1) * sin(index);
  });
}

/** [[C, S], [-S, C]], multiplied from the right: the scaled inverse transform along rows, whose parts lie side by side. */
export function rowInverse(count: number, scale: number): Float32Array {
  const { cos, sin } = rootsOfUnity(count);
  return matrix(2 * count, 2 * count, (row, column) => {
    const index = reduced(frequencyAt(row % count, count), column % count, count);
    if (row < count === column < count) return scale * cos(index);
    return (row < count ? scale : -scale) * sin(index);
  });
}

/** The gains of the eight orientations over the centred spectrum: [8, band height, band width]. */
export function bandMasks(size: Size): Float32Array {
  const band = bandSize(size);
  const masks = new Float32Array(bandCount * band.width * band.height);
  for (let row = 0, at = 0; row < band.height; row++) {
    for (let column = 0; column < band.width; column++, at++) {
      const y = (2 * frequencyAt(row, band.height)) / size.height;
      const x = (2 * frequencyAt(column, band.width)) / size.width;
      const radius = Math.hypot(y, x);
      const radial = radius > 1 / 32 && radius < 1 / 8 ? Math.cos((Math.PI / 2) * Math.log2(16 * radius)) : 0;
      const angle = Math.atan2(y, x);
      for (let index = 0; index < bandCount; index++) {
        const angular = Math.max(Math.cos(angle - (Math.PI * index) / bandCount), 0) ** 7;
        masks[index * band.width * band.height + at] = radial * angular;
      }
    }
  }
  return masks;
}

/** A row-major matrix whose entries are given by row and column. */
function matrix(rows: number, columns: number, entry: (row: number, column: number) => number): Float32Array {
  const values = new Float32Array(rows * columns);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at++) values[at] = entry(row, column);
  }
  return values;
}
