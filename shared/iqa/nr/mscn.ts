import type { RowRange } from '../metric.ts';
import type { Plane } from './luma.ts';

/** What lies outside the picture: nothing, or its nearest pixel repeated. */
export type Border = 'zero' | 'nearest';

const RADIUS = 3;
const SIDE = 2 * RADIUS + 1;
const KERNEL = gaussianTaps();
// The ten different taps: (0,0) to (0,3), (1,1) to (1,3), (2,2), (2,3), (3,3) from the centre.
const TAP = [0, 1, 2, 3, 8, 9, 10, 16, 17, 24].map((i) => KERNEL[24 + i]) as unknown as Ten;

/**
 * Mean-subtracted contrast-normalised rows in float32, handed to `visit` from top to bottom.
 * The row is reused: copy what must outlive the visit.
 */
export function mscnRows32(
  plane: Plane<Uint8Array | Float32Array>,
  border: Border,
  visit: RowVisitor32,
  { from, to }: RowRange = { from: 0, to: plane.height },
): void {
  const { width } = plane;
  const values = paddedRing(width);
  const squares = paddedRing(width);
  const mean = new Float32Array(width);
  const power = new Float32Array(width);
  const row = new Float32Array(width);
  const load = (y: number): void => {
    loadRow(plane, y, border, values);
    const at = ringRow(y, values.stride);
    for (let x = at; x < at + values.stride; x++) {
      const value = values.data[x] as number;
      squares.data[x] = Math.fround(value * value);
    }
  };
  for (let y = from - RADIUS; y < from + RADIUS; y++) load(y);
  for (let y = from; y < to; y++) {
    load(y + RADIUS);
    filterRow32(values, y, mean);
    filterRow32(squares, y, power);
    const centre = ringRow(y, values.stride) + RADIUS;
    for (let x = 0; x < width; x++) {
      const mu = mean[x] as number;
      const variance = Math.fround((power[x] as number) - Math.fround(mu * mu));
      const deviation = Math.fround(Math.sqrt(Math.fround(Math.abs(variance) + 2 ** -23)));
      row[x] = Math.fround((values.data[centre + x] as number) - mu) / Math.fround(deviation + 1);
    }
    visit(row, y);
  }
}

export type RowVisitor32 = (row: Float32Array, y: number) => void;
export type RowVisitor64 = (row: Float64Array, y: number) => void;

/** The same in float64, nearest-pixel border; `scale` multiplies every pixel first. */
export function mscnRows64(plane: Plane<Uint8Array | Float32Array>, scale: number, visit: RowVisitor64): void {
  const { width, height } = plane;
  const values = paddedRing(width);
  const squares = paddedRing(width);
  const mean = new Float64Array(width);
  const power = new Float64Array(width);
  const row = new Float64Array(width);
  const load = (y: number): void => {
    loadRow(plane, y, 'nearest', values);
    const at = ringRow(y, values.stride);
    for (let x = at; x < at + values.stride; x++) {
      const value = (values.data[x] as number) * scale;
      values.data[x] = value;
      squares.data[x] = value * value;
    }
  };
  const columns = [0, 1, 2, 3].map(() => new Float64Array(values.stride)) as unknown as Columns;
  for (let y = -RADIUS; y < RADIUS; y++) load(y);
  for (let y = 0; y < height; y++) {
    load(y + RADIUS);
    filterRow64(values, y, columns, mean);
    filterRow64(squares, y, columns, power);
    const centre = ringRow(y, values.stride) + RADIUS;
    for (let x = 0; x < width; x++) {
      const mu = mean[x] as number;
      const deviation = Math.sqrt(Math.abs((power[x] as number) - mu * mu) + 2 ** -52);
      row[x] = ((values.data[centre + x] as number) - mu) / (deviation + 1);
    }
    visit(row, y);
  }
}

/** Seven padded rows, the row y of the picture at y modulo seven. */
interface Ring {
  readonly stride: number;
  readonly data: Float64Array;
}

const paddedRing = (width: number): Ring => {
  const stride = width + 2 * RADIUS;
  return { stride, data: new Float64Array(SIDE * stride) };
};

const ringRow = (y: number, stride: number): number => ((y + SIDE) % SIDE) * stride;

const loadRow = (plane: Plane<Uint8Array | Float32Array>, y: number, border: Border, ring: Ring): void => {
  const { width, height, data } = plane;
  const at = ringRow(y, ring.stride);
  const outside = y < 0 || y >= height;
  if (border === 'zero' && outside) {
    ring.data.fill(0, at, at + ring.stride);
    return;
  }
  const from = Math.min(Math.max(y, 0), height - 1) * width;
  for (let x = 0; x < width; x++) ring.data[at + RADIUS + x] = data[from + x] as number;
  if (border === 'zero') return;
  ring.data.fill(data[from] as number, at, at + RADIUS);
  ring.data.fill(data[from + width - 1] as number, at + RADIUS + width, at + ring.stride);
};

// Every tap is rounded in raster order: flat areas decide the score by these last bits.
// Four pixels side by side keep the processor's pipeline full while each one waits for its own sum.
const filterRow32 = (ring: Ring, y: number, out: Float32Array): void => {
  const { stride, data } = ring;
  const width = stride - 2 * RADIUS;
  const starts = Int32Array.from({ length: SIDE }, (_, row) => ringRow(y + row - RADIUS, stride));
  let x = 0;
  for (; x + 4 <= width; x += 4) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let tap = 0, row = 0; row < SIDE; row++) {
      let at = (starts[row] as number) + x;
      for (const end = tap + SIDE; tap < end; tap++, at++) {
        const weight = KERNEL[tap] as number;
        a = Math.fround((data[at] as number) * weight + a);
        b = Math.fround((data[at + 1] as number) * weight + b);
        c = Math.fround((data[at + 2] as number) * weight + c);
        d = Math.fround((data[at + 3] as number) * weight + d);
      }
    }
    out[x] = a;
    out[x + 1] = b;
    out[x + 2] = c;
    out[x + 3] = d;
  }
  for (; x < width; x++) {
    let sum = 0;
    for (let tap = 0; tap < SIDE * SIDE; tap++) {
      const at = ringRow(y + Math.floor(tap / SIDE) - RADIUS, stride) + x + (tap % SIDE);
      sum = Math.fround((data[at] as number) * (KERNEL[tap] as number) + sum);
    }
    out[x] = sum;
  }
};

// In float64 the order does not show, so the kernel's four-fold symmetry saves two thirds of the work.
const filterRow64 = (ring: Ring, y: number, columns: Columns, out: Float64Array): void => {
  const { stride, data } = ring;
  const [c0, c1, c2, c3] = columns;
  const up = [1, 2, 3].map((dy) => ringRow(y - dy, stride)) as Three;
  const down = [1, 2, 3].map((dy) => ringRow(y + dy, stride)) as Three;
  const middle = ringRow(y, stride);
  for (let x = 0; x < stride; x++) {
    const zero = data[middle + x] as number;
    const one = (data[up[0] + x] as number) + (data[down[0] + x] as number);
    const two = (data[up[1] + x] as number) + (data[down[1] + x] as number);
    const three = (data[up[2] + x] as number) + (data[down[2] + x] as number);
    c0[x] = TAP[0] * zero + TAP[1] * one + TAP[2] * two + TAP[3] * three;
    c1[x] = TAP[1] * zero + TAP[4] * one + TAP[5] * two + TAP[6] * three;
    c2[x] = TAP[2] * zero + TAP[5] * one + TAP[7] * two + TAP[8] * three;
    c3[x] = TAP[3] * zero + TAP[6] * one + TAP[8] * two + TAP[9] * three;
  }
  for (let x = 0; x < out.length; x++) {
    const outer = (c3[x] as number) + (c3[x + 6] as number);
    const middle = (c2[x + 1] as number) + (c2[x + 5] as number);
    out[x] = outer + middle + ((c1[x + 2] as number) + (c1[x + 4] as number)) + (c0[x + 3] as number);
  }
};

type Ten = readonly [number, number, number, number, number, number, number, number, number, number];
type Three = [number, number, number];
type Columns = readonly [Float64Array, Float64Array, Float64Array, Float64Array];

function gaussianTaps(): Float64Array {
  const taps = Float64Array.from({ length: SIDE * SIDE }, (_, tap) => {
    const dy = Math.floor(tap / SIDE) - RADIUS;
    const dx = (tap % SIDE) - RADIUS;
    return Math.exp(-(dx * dx + dy * dy) / (2 * (7 / 6) ** 2));
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => Math.fround(tap / sum));
}
