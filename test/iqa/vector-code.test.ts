import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { halfScale, mirrored } from '../../shared/iqa/nr/half-scale.ts';
import { lumaBytes, plainLuma, stretchedLuma } from '../../shared/iqa/nr/luma.ts';
import { gatherMoments32, gatherMoments64 } from '../../shared/iqa/nr/moments.ts';
import { mscnRows32, plainContrast32 } from '../../shared/iqa/nr/mscn.ts';
import { HALF_TAPS } from '../../shared/iqa/nr/plane-kernels.ts';
import { cubeRoot } from '../../shared/iqa/roots.ts';
import { sumRows } from '../../shared/iqa/row-sums.ts';
import { squaredError } from '../../shared/iqa/squared-error.ts';
import { isFused } from '../../shared/iqa/wasm/fused.ts';
import { tries } from '../support/sampling.ts';

const sides = fc.integer({ min: 1, max: 37 });
const bytes = fc.infiniteStream(fc.nat(255));
const aPlane = fc.tuple(sides, sides, bytes, fc.boolean()).map(([width, height, stream, isFlat]) => ({
  width,
  height,
  // Flat areas are where the last bits decide.
  data: Uint8Array.from(stream.take(width * height)).map((byte, _, all) => (isFlat ? (all[0] ?? 0) : byte)),
}));
const { fround } = Math;

describe('SIMD code of the no-reference metrics', { skip: !isFused() && 'this processor rounds twice' }, () => {
  test('SIMD local contrast equals plain loops bit for bit, also on flat areas and odd sizes', () => {
    fc.assert(
      fc.property(aPlane, ({ width, height, data }) => {
        const stride = width + 6;
        const padded = new Float32Array(stride * (height + 6));
        for (let y = 0; y < height; y++) padded.set(data.subarray(y * width, (y + 1) * width), (y + 3) * stride + 3);
        const expected = new Float32Array(width);
        mscnRows32({ width, height, data }, 'zero', (row, y) => {
          plainContrast32(
            padded,
            Array.from({ length: 7 }, (_, at) => (y + at) * stride),
            expected,
          );
          assert.deepEqual(row, expected);
        });
      }),
    );
  });

  test('SIMD squared byte differences equal a plain loop, for any length', () => {
    const lengths = fc.constantFrom(1, 15, 16, 17, 65_535, 65_536, 65_551, 200_000);
    fc.assert(
      fc.property(lengths, fc.nat(255), fc.nat(250), (length, start, factor) => {
        const [x, y] = [new Uint8Array(length).fill(start), new Uint8Array(length).map((_, at) => at * factor)];
        const plain = x.reduce((sum, value, at) => sum + (value - (y[at] as number)) ** 2, 0);

        assert.equal(squaredError(x, y), plain);
      }),
      { numRuns: tries(8, 20) },
    );
    assert.equal(squaredError(new Uint8Array(70_000), new Uint8Array(70_000).fill(255)), 70_000 * 255 ** 2);
  });

  test('SIMD sums of byte rows equal a plain loop, also of 257 white rows, and keep nothing of the previous call', () => {
    fc.assert(
      fc.property(sides, sides, bytes, (length, count, stream) => {
        const rows = Uint8Array.from(stream.take(length * count));
        const plain = Array.from({ length }, (_, column) =>
          rows.reduce((sum, value, at) => sum + (at % length === column ? value : 0), 0),
        );

        assert.deepEqual([...sumRows(rows, length)], plain);
      }),
      { numRuns: tries(10, 30) },
    );
    assert.deepEqual([...sumRows(new Uint8Array(257 * 5).fill(255), 5)], new Array(5).fill(65_535));
  });

  test('SIMD cube roots equal Math.cbrt to 12 digits', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.003, max: 1.5, noNaN: true }), (value) => {
        assert.ok(Math.abs(cubeRoot(value) - Math.cbrt(value)) < 1e-12, String(value));
      }),
    );
  });

  test('SIMD luma equals plain loops bit for bit', () => {
    fc.assert(
      fc.property(sides, sides, bytes, (width, height, stream) => {
        const picture = { width, height, data: Uint8Array.from(stream.take(3 * width * height)) };
        const plain = (divisor: number) => plainLuma(picture.data, divisor, new Uint8Array(width * height));

        assert.deepEqual(lumaBytes(picture).data, plain(1));
        const stretched = stretchedLuma(picture).data;
        assert.ok(picture.data.every((byte) => byte === 0) || Math.max(...stretched) === 255);
      }),
    );
    const wide = { width: 40_000, height: 1, data: Uint8Array.from({ length: 120_000 }, (_, at) => (at * 7919) % 251) };
    assert.deepEqual(lumaBytes(wide).data, plainLuma(wide.data, 1, new Uint8Array(40_000)));
    assert.deepEqual([...stretchedLuma({ ...wide, data: wide.data.fill(0) }).data.subarray(0, 2)], [0, 0]);
  });

  test('SIMD downscaling by half equals plain loops bit for bit, for any size', () => {
    fc.assert(
      fc.property(aPlane, fc.constantFrom(1, 255), (plane, divisor) => {
        const half = halfScale(plane, divisor);

        assert.deepEqual([half.width, half.height], [Math.ceil(plane.width / 2), Math.ceil(plane.height / 2)]);
        assert.deepEqual(half.data, plainHalf(plane, divisor));
      }),
    );
  });

  test('SIMD moments equal plain loops, with rows wrapping round', () => {
    const rows = fc.tuple(sides, fc.infiniteStream(fc.float({ min: -3, max: 3, noNaN: true })));
    fc.assert(
      fc.property(rows, fc.constantFrom(0 as const, 1 as const), fc.boolean(), ([width, stream], shift, isWide) => {
        const [own, other] = [[...stream.take(width)], [...stream.take(width)]];
        const moments = isWide ? gatherMoments64(width, 2, 2) : gatherMoments32(width, 2, 2);
        const RowType = isWide ? Float64Array : Float32Array;
        [own, other].forEach((row, slot) => {
          moments.put(slot, RowType.from(row) as Float32Array & Float64Array);
        });
        moments.add(1, 0, 1, shift);
        moments.addAlone(0, 0);

        const rounded = isWide ? (value: number) => value : fround;
        const products = own.map((value, x) => rounded(value * (other[(x - shift + width) % width] as number)));
        for (const [from, samples] of [own, products].entries()) {
          const { count, negatives, positives, squaresBelow, squaresAbove, magnitudes } = moments.take(from);
          const sum = (of: (sample: number) => number) => samples.reduce((total, sample) => total + of(sample), 0);
          assert.deepEqual(
            [count, negatives, positives],
            [width, sum((sample) => Number(sample < 0)), sum((sample) => Number(sample > 0))],
          );
          const near = (a: number, b: number) => assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, b), `${a} ${b}`);
          near(
            squaresBelow,
            sum((sample) => Math.min(0, sample) ** 2),
          );
          near(
            squaresAbove,
            sum((sample) => Math.max(0, sample) ** 2),
          );
          near(magnitudes, sum(Math.abs));
        }
      }),
    );
  });
});

const plainHalf = (
  { width, height, data }: { readonly width: number; readonly height: number; readonly data: Uint8Array },
  divisor: number,
): Float32Array => {
  const wide = Math.ceil(width / 2);
  const sum = (at: (tap: number) => number): number =>
    HALF_TAPS.reduce((total, weight, tap) => fround(total + fround(at(tap) * weight)), 0);
  const column = (x: number, y: number): number =>
    sum((tap) => fround((data[mirrored(2 * y - 3 + tap, height) * width + x] as number) / divisor));
  return Float32Array.from({ length: wide * Math.ceil(height / 2) }, (_, at) =>
    sum((tap) => column(mirrored(2 * (at % wide) - 3 + tap, width), Math.floor(at / wide))),
  );
};
