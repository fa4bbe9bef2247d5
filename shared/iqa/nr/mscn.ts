import type { RowRange } from '../metric.ts';
import { isFused } from '../wasm/fused.ts';
import { contrastKernels, RADIUS, SIDE, WINDOW } from './contrast-kernels.ts';
import type { Plane } from './luma.ts';

/** Padding outside the picture: zeros, or its nearest pixel repeated. */
export type Border = 'zero' | 'nearest';

export type RowVisitor32 = (row: Float32Array, y: number) => void;
export type RowVisitor64 = (row: Float64Array, y: number) => void;

/**
 * Mean-subtracted contrast-normalised rows in float32, passed to `visit` from top to bottom. The row is reused: copy what
 * must outlive the visit.
 */
export function mscnRows32(
  plane: Plane<Uint8Array | Float32Array>,
  border: Border,
  visit: RowVisitor32,
  { from, to }: RowRange = { from: 0, to: plane.height },
): void {
  const { width } = plane;
  const { reserve, run } = contrastKernels();
  const isVector = isFused();
  const stride = strideOf(width, 8);
  const data = new Float32Array(reserve(4 * stride * (SIDE + 1)), 0, stride * (SIDE + 1));
  const out = SIDE * stride;
  const row = data.subarray(out, out + width);
  for (let y = from - RADIUS; y < from + RADIUS; y++) loadRow(plane, y, border, data, rowAt(y, stride));
  for (let y = from; y < to; y++) {
    loadRow(plane, y + RADIUS, border, data, rowAt(y + RADIUS, stride));
    const starts = startsAround(y, stride);
    if (isVector) run('contrast32', ...starts.map((start) => 4 * start), 4 * out, 4 * (out + width));
    else plainContrast32(data, starts, row);
    visit(row, y);
  }
}

/** The same in float64, nearest-pixel border; `scale` multiplies every pixel first. */
export function mscnRows64(
  plane: Plane<Uint8Array | Float32Array>,
  scale: number,
  visit: RowVisitor64,
  { from, to }: RowRange = { from: 0, to: plane.height },
): void {
  const { width } = plane;
  const { reserve, run } = contrastKernels();
  const stride = strideOf(width, 2);
  const rows = 2 * SIDE + 9;
  const data = new Float64Array(reserve(8 * stride * rows), 0, stride * rows);
  const [squares, columns, out] = [SIDE * stride, 2 * SIDE * stride, (2 * SIDE + 8) * stride];
  const row = data.subarray(out, out + width);
  const load = (y: number): void => {
    const at = rowAt(y, stride);
    loadRow(plane, y, 'nearest', data, at);
    for (let x = at; x < at + width + 2 * RADIUS; x++) {
      const value = (data[x] as number) * scale;
      data[x] = value;
      data[squares + x] = value * value;
    }
  };
  const columnAddresses = Array.from({ length: 8 }, (_, column) => 8 * (columns + column * stride));
  const [ofValues, ofSquares] = [columnAddresses.slice(0, 4), columnAddresses.slice(4)];
  const columnBytes = 8 * (width + 2 * RADIUS);
  for (let y = from - RADIUS; y < from + RADIUS; y++) load(y);
  for (let y = from; y < to; y++) {
    load(y + RADIUS);
    const starts = startsAround(y, stride);
    const addColumns = (shift: number, into: readonly number[]): void => {
      run('columns64', ...starts.map((start) => 8 * (shift + start)), ...into, (into[0] as number) + columnBytes);
    };
    addColumns(0, ofValues);
    addColumns(squares, ofSquares);
    run('contrast64', ...columnAddresses, 8 * rowAt(y, stride), 8 * out, 8 * (out + width));
    visit(row, y);
  }
}

/** Distance from one padded row to the next: whole vectors, and one more that is read past the end. */
const strideOf = (width: number, lanes: number): number => Math.ceil((width + 2 * RADIUS) / lanes) * lanes + lanes;

/** A ring of seven padded rows: row y of the picture is at y modulo seven. */
const rowAt = (y: number, stride: number): number => ((y + SIDE) % SIDE) * stride;

const startsAround = (y: number, stride: number): readonly number[] =>
  Array.from({ length: SIDE }, (_, row) => rowAt(y + row - RADIUS, stride));

const loadRow = (
  { width, height, data }: Plane<Uint8Array | Float32Array>,
  y: number,
  border: Border,
  into: Float32Array | Float64Array,
  at: number,
): void => {
  const end = at + width + 2 * RADIUS;
  if (border === 'zero' && (y < 0 || y >= height)) {
    into.fill(0, at, end);
    return;
  }
  const from = Math.min(Math.max(y, 0), height - 1) * width;
  into.set(data.subarray(from, from + width), at + RADIUS);
  into.fill(border === 'zero' ? 0 : (data[from] as number), at, at + RADIUS);
  into.fill(border === 'zero' ? 0 : (data[from + width - 1] as number), end - RADIUS, end);
};

/** The result of the vector code, for processors without a fused multiply-add. */
export const plainContrast32 = (data: Float32Array, starts: readonly number[], out: Float32Array): void => {
  const { fround } = Math;
  for (let x = 0; x < out.length; x++) {
    let [mean, power] = [0, 0];
    for (let tap = 0; tap < SIDE * SIDE; tap++) {
      const value = data[(starts[Math.floor(tap / SIDE)] as number) + x + (tap % SIDE)] as number;
      // Products are exact in float64, so only the sum is rounded.
      mean = fround(value * (WINDOW[tap] as number) + mean);
      power = fround(fround(value * value) * (WINDOW[tap] as number) + power);
    }
    const variance = fround(power - fround(mean * mean));
    const deviation = fround(Math.sqrt(fround(Math.abs(variance) + 2 ** -23)));
    const centre = data[(starts[RADIUS] as number) + x + RADIUS] as number;
    out[x] = fround(centre - mean) / fround(deviation + 1);
  }
};
