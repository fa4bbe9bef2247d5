import type { Feed, Pair, RowRange, Size } from './metric.ts';
import type { Pixels } from './pixels.ts';

/** Columns per block. They are the channels of the polyphase layout, in which convolutions run fastest. */
export const blockWidth = 16;

/** Result rows per tile: enough to make its border cheap, few enough to stay in the processor's cache. */
export const tileRows = 128;
export const tileColumns = 960;

/** A rectangle of results. */
export interface Tile {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
}

/** Divides rows of results, `columns` wide, into tiles, row by row. */
export function tilesOf(range: RowRange, columns: number, height = tileRows, width = tileColumns): readonly Tile[] {
  const tiles: Tile[] = [];
  for (let top = range.from; top < range.to; top += height) {
    for (let left = 0; left < columns; left += width) {
      tiles.push({
        top,
        left,
        rows: Math.min(height, range.to - top),
        columns: Math.min(width, columns - left),
      });
    }
  }
  return tiles;
}

/** Divides `count` rows into at most `parts` ranges of similar length, multiples of `unit` except for the last. */
export function divideRows(count: number, parts: number, unit: number): readonly RowRange[] {
  const number = Math.max(1, Math.min(parts, Math.floor(count / unit)));
  const start = (index: number): number =>
    index === number ? count : Math.round((count * index) / number / unit) * unit;
  return Array.from({ length: number }, (_, index) => ({ from: start(index), to: start(index + 1) }));
}

/** Adds the sums of all parts element by element, in place in the first. */
export function addParts([total = new Float64Array(0), ...others]: readonly Float64Array[]): Float64Array {
  for (const part of others)
    for (let at = 0; at < total.length; at++) total[at] = (total[at] as number) + (part[at] as number);
  return total;
}

/** Concatenates the planes of all parts. */
export function joinParts(parts: readonly Float64Array[]): Float64Array {
  const [first = new Float64Array(0), ...others] = parts;
  if (others.length === 0) return first;
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A window of pixels, `blocks` whole blocks wide; zero beyond the picture. */
export interface Window {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly blocks: number;
  /** The size, from the top left, that counts as the picture; all of it unless given. */
  readonly within?: Size;
}

export type PackPair = (pair: Pair, window: Window) => Readonly<Record<'picture' | 'reference', Feed>>;

/** Copies windows of both pictures into tensors [1, rows, blocks, 48], reusing the same memory for each call. */
export function pairPacker(): PackPair {
  const pack = { picture: packer(), reference: packer() };
  return (pair, window) => ({
    picture: pack.picture(pair.picture, window),
    reference: pack.reference(pair.reference, window),
  });
}

function packer(): (pixels: Pixels, window: Window) => Feed {
  let memory = new Uint8Array(0);
  return (pixels, window) => {
    const length = window.rows * window.blocks * blockWidth * 3;
    if (memory.length < length) memory = new Uint8Array(length);
    const data = memory.subarray(0, length);
    packWindow(pixels, window, data);
    return { type: 'uint8', data, shape: [1, window.rows, window.blocks, blockWidth * 3] };
  };
}

function packWindow(pixels: Pixels, window: Window, data: Uint8Array): void {
  const stride = window.blocks * blockWidth * 3;
  const before = Math.max(0, -window.left) * 3;
  const start = Math.max(0, window.left) * 3;
  const { width, height } = window.within ?? pixels;
  const end = Math.max(start, Math.min(width, window.left + window.blocks * blockWidth) * 3);
  const used = before + end - start;
  for (let row = 0, at = 0; row < window.rows; row++, at += stride) {
    const y = window.top + row;
    if (y < 0 || y >= height) {
      data.fill(0, at, at + stride);
      continue;
    }
    const offset = y * pixels.width * 3;
    if (before > 0) data.fill(0, at, at + before);
    data.set(pixels.data.subarray(offset + start, offset + end), at + before);
    if (used < stride) data.fill(0, at + used, at + stride);
  }
}

/** Adds the first `columns` of column sums in polyphase order [planes, lanes, blocks]. */
export function sumColumns(sums: Float32Array, columns: number, { lanes = blockWidth, planes = 1 } = {}): number {
  const size = sums.length / planes;
  const blocks = size / lanes;
  let total = 0;
  for (let plane = 0; plane < planes; plane++) {
    for (let column = 0; column < columns; column++) {
      total += sums[plane * size + (column % lanes) * blocks + Math.floor(column / lanes)] as number;
    }
  }
  return total;
}

/** Copies a tile, whose rows may be padded, to its place in a plane. */
export function copyTile(values: Float32Array, tile: Tile, plane: Float32Array, width: number): void {
  const stride = values.length / tile.rows;
  for (let row = 0; row < tile.rows; row++) {
    const source = values.subarray(row * stride, row * stride + tile.columns);
    plane.set(source, (tile.top + row) * width + tile.left);
  }
}
