import type { Feed, Pair, RowRange } from './metric.ts';
import type { Pixels } from './pixels.ts';

/** Columns side by side in one block: the channels of the polyphase layout, in which convolutions run fastest. */
export const blockWidth = 16;

/** The rows of results a tile covers: enough to make its border cheap, few enough to stay in the processor's cache. */
export const tileRows = 128;
export const tileColumns = 960;

/** A rectangle of results. */
export interface Tile {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
}

/** Cuts rows of results, `columns` wide, into tiles, row by row. */
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

/** Divides `count` rows evenly into at most `parts` ranges of at least `minimum` rows. */
export function divideRows(count: number, parts: number, minimum: number): readonly RowRange[] {
  const number = Math.max(1, Math.min(parts, Math.floor(count / minimum)));
  return Array.from({ length: number }, (_, index) => ({
    from: Math.round((count * index) / number),
    to: Math.round((count * (index + 1)) / number),
  }));
}

/** A window of picture pixels: `blocks` whole blocks wide, and zero where it reaches past the picture. */
export interface Window {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly blocks: number;
}

export type PackPair = (pair: Pair, window: Window) => Readonly<Record<'picture' | 'reference', Feed>>;

/** Copies windows of both pictures into tensors [1, rows, blocks, 48], using the same memory for each call. */
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
  const end = Math.max(start, Math.min(pixels.width, window.left + window.blocks * blockWidth) * 3);
  for (let row = 0; row < window.rows; row++) {
    const y = window.top + row;
    const target = data.subarray(row * stride, (row + 1) * stride);
    if (y < 0 || y >= pixels.height) {
      target.fill(0);
      continue;
    }
    const offset = y * pixels.width * 3;
    if (before > 0) target.fill(0, 0, before);
    target.set(pixels.data.subarray(offset + start, offset + end), before);
    if (before + end - start < stride) target.fill(0, before + end - start);
  }
}
