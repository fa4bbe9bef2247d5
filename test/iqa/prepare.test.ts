import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pixels } from '../../shared/iqa/pixels.ts';
import { prepare } from '../../shared/iqa/prepare.ts';
import { Preprocessing } from '../../shared/iqa/preprocess.ts';
import { resizePlanes } from '../../shared/iqa/resize.ts';

/** 7 x 5 with the same numbers in all channels but for a shift of one. */
const small: Pixels = {
  width: 7,
  height: 5,
  data: Uint8Array.from({ length: 105 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % 7, Math.floor(at / 21)];
    return (x * 37 + y * 91 + x * y * 13) % 256;
  }),
};

const close = (actual: ArrayLike<number>, wanted: readonly number[], tolerance = 1e-3): void => {
  assert.equal(actual.length, wanted.length);
  wanted.forEach((value, at) => {
    assert.ok(Math.abs((actual[at] ?? Number.NaN) - value) < tolerance, `${at}: ${actual[at]} instead of ${value}`);
  });
};

describe('R0.06 preprocessing', () => {
  test('preprocessing downscales with antialiasing as PIL does', () => {
    const options = { width: 3, height: 2, antialias: true };

    // Figures of PIL's resize of the same plane in its float mode.
    close(
      resizePlanes(small, { ...options, kernel: 'bilinear' }).planes[0] ?? [],
      [109.7532, 140.3797, 141.1818, 122.039, 144.3797, 136.8961],
    );
    close(
      resizePlanes(small, { ...options, kernel: 'bicubic' }).planes[1] ?? [],
      [107.709, 139.3254, 144.4087, 124.5144, 143.8983, 136.7492],
    );
  });

  test('preprocessing upscales as PIL does', () => {
    const { planes } = resizePlanes(small, { width: 10, height: 8, kernel: 'bicubic', antialias: true });

    close(
      (planes[2] ?? new Float32Array()).subarray(10, 20),
      [28.8322, 49.935, 85.8099, 124.7464, 163.0886, 147.1883, 95.6759, 123.7197, 165.7456, 195.3262],
    );
  });

  test('preprocessing without antialiasing takes nearest neighbours', () => {
    const { planes } = resizePlanes(small, { width: 1, height: 1, kernel: 'bilinear', antialias: false });

    close(planes[0] ?? [], [small.data[(2 * 7 + 3) * 3] ?? 0]);
  });

  test('a picture that needs no scaling is kept, in the requested range and layout', () => {
    const plain = prepare(small, Preprocessing.parse({}));
    assert.deepEqual(plain.shape, [1, 3, 5, 7]);
    close(
      plain.data,
      [0, 1, 2].flatMap((channel) => Array.from({ length: 35 }, (_, at) => (small.data[at * 3 + channel] ?? 0) / 255)),
      1e-6,
    );

    const other = prepare(small, Preprocessing.parse({ layout: 'NHWC', range: [-1, 1], channels: 'BGR' }));
    assert.deepEqual(other.shape, [1, 5, 7, 3]);
    close(
      other.data,
      Array.from(small.data, (_, at) => (2 * (small.data[at - (at % 3) + 2 - (at % 3)] ?? 0)) / 255 - 1),
      1e-6,
    );
  });

  test('preprocessing scales the shorter side, then crops the centre', () => {
    const { shape, data } = prepare(small, Preprocessing.parse({ resize: { size: 10 }, crop: { size: 8 } }));
    const whole = prepare(small, Preprocessing.parse({ resize: { size: 10 } }));

    assert.deepEqual(
      [shape, whole.shape],
      [
        [1, 3, 8, 8],
        [1, 3, 10, 14],
      ],
    );
    assert.equal(data[0], whole.data[1 * 14 + 3]);
    assert.deepEqual(prepare(small, Preprocessing.parse({ crop: { multiple: 3 } })).shape, [1, 3, 3, 6]);
  });

  test('a crop larger than the picture is refused', () => {
    assert.throws(() => prepare(small, Preprocessing.parse({ crop: { size: 6 } })), {
      name: 'InvalidInput',
      message: /crops to 6 pixels, the picture has 7 x 5/,
    });
  });
});
