import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { mirrored } from '../../shared/iqa/nr/half-scale.ts';
import { lumaBytes, roundHalfEven } from '../../shared/iqa/nr/luma.ts';
import { pixelMetrics, sumsTogether } from '../../shared/iqa/nr/metrics.ts';
import { mscnRows32, mscnRows64 } from '../../shared/iqa/nr/mscn.ts';
import { niqeFeatures } from '../../shared/iqa/nr/niqe.ts';
import type { Pixels } from '../../shared/iqa/pixels.ts';
import { tries } from '../support/sampling.ts';

const golden = (name: string): URL => new URL(`../golden/iqa/${name}`, import.meta.url);

const read = async (name: string): Promise<Pixels> => {
  const image = sharp(readFileSync(golden(name))).removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
};

const metric = (name: string) => {
  const own = pixelMetrics.find((each) => each.name === name) ?? assert.fail(name);
  return { ...own, score: (picture: Pixels): number => own.finish(own.sums(picture, whole(picture)), picture) };
};
const whole = ({ height }: Pixels) => ({ from: 0, to: height });
const flat = (width: number, height: number, value = 128): Pixels => ({
  width,
  height,
  data: new Uint8Array(3 * width * height).fill(value),
});
const aPlane = fc
  .tuple(fc.integer({ min: 1, max: 19 }), fc.integer({ min: 1, max: 19 }), fc.infiniteStream(fc.nat(255)))
  .map(([width, height, bytes]) => ({ width, height, data: Uint8Array.from(bytes.take(width * height)) }));

// metric, column, largest difference, whether that is relative
const TOLERANCES = [
  ['niqe', 'niqe', 1e-6, true],
  ['piqe', 'piqe', 1e-4, false],
  ['brisque', 'brisque', 0.02, false],
  ['brisque', 'brisque-float64', 1e-4, false],
  ['entropy', 'entropy', 2e-6, false],
] as const;

describe('no-reference metrics', () => {
  const values = readFileSync(golden('no-reference.csv'), 'utf8').trim().split('\n').slice(1);
  const images = [...new Set(values.map((line) => line.split(',')[0] as string))];

  const scores = new Map<string, Promise<number>>();
  const scoreOnce = (name: string, image: string): Promise<number> => {
    const known = scores.get(`${name} ${image}`) ?? read(image).then((pixels) => metric(name).score(pixels));
    scores.set(`${name} ${image}`, known);
    return known;
  };

  test('sums over strips add up to those of the whole picture, for any size', async () => {
    const { width, data } = await read('chelsea_jpeg_2.png');
    for (const height of [300, 299, 193, 65, 33]) {
      const picture = { width, height, data: data.subarray(0, width * height * 3) };
      for (const { name } of pixelMetrics.filter(({ minimumSide }) => minimumSide < height)) {
        const { sums, finish, rowUnit, score } = metric(name);
        const cut = rowUnit * Math.max(1, Math.floor(height / rowUnit / 2));
        const [first, second] = [sums(picture, { from: 0, to: cut }), sums(picture, { from: cut, to: height })];

        const together = finish(
          first.map((sum, at) => sum + (second[at] as number)),
          picture,
        );

        assert.ok(Math.abs(together - score(picture)) < 1e-9, `${name} ${height}: ${together}, ${score(picture)}`);
      }
    }
  });

  test('X.14 metrics that share one pass give the same values as alone', async () => {
    for (const name of ['chelsea_jpeg_2.png', 'chelsea_contrast_2.png']) {
      const picture = await read(name);
      const names = pixelMetrics.map((each) => each.name);
      const rows = { from: 96, to: picture.height };

      const together = sumsTogether(names, picture, rows);

      for (const [at, each] of names.entries()) assert.deepEqual(together[at], metric(each).sums(picture, rows), each);
    }
  });

  for (const [name, column, tolerance, relative] of TOLERANCES) {
    test(`R0.05 ${name} agrees with the ${column} values of ${images.length} pictures`, async () => {
      for (const image of images) {
        const line = values.find((each) => each.startsWith(`${image},${column},`)) ?? assert.fail(image);
        const expected = Number(line.split(',')[2]);

        const score = await scoreOnce(name, image);

        const difference = Math.abs(score - expected) / (relative ? expected : 1);
        assert.ok(difference <= tolerance, `${image}: ${score}, expected ${expected}`);
      }
    });
  }

  test('a side below a no-reference metric’s minimum is refused with the size it needs', () => {
    for (const [name, side] of [
      ['niqe', 96],
      ['brisque', 7],
      ['piqe', 8],
    ] as const) {
      assert.throws(() => metric(name).score(flat(side - 1, 200)), {
        name: 'InvalidInput',
        message: new RegExp(`^${name} needs ${side} pixels on each side, the picture has ${side - 1} x 200`),
      });
    }
  });

  test('a picture without texture is refused, since it has no natural-scene statistics', () => {
    const stripes = flat(192, 96);
    stripes.data.forEach((_, at) => {
      stripes.data[at] = Math.floor(at / 3) % 2 === 0 ? 0 : 255;
    });
    for (const picture of [flat(128, 128), stripes]) {
      assert.throws(() => metric('niqe').score(picture), { name: 'InvalidInput', message: /niqe is undefined/ });
    }
    assert.throws(() => metric('brisque').score(flat(64, 64, 0)), { message: /brisque is undefined/ });
    assert.equal(metric('piqe').score(flat(64, 64)), 100);
    assert.equal(metric('piqe').score(flat(64, 64, 0)), 100);
  });

  test('small and odd sizes give finite scores, and niqe works with one block', async () => {
    const { width, data } = await read('chelsea.png');
    for (const [wide, high] of [
      [97, 131],
      [9, 9],
      [8, 33],
      [17, 15],
      [1, 1],
    ] as const) {
      const rows = Array.from({ length: high }, (_, y) => {
        const start = (y + 120) * width + 160;
        return data.subarray(3 * start, 3 * (start + wide));
      });
      const crop = { width: wide, height: high, data: Uint8Array.from(Buffer.concat(rows)) };
      for (const { score, minimumSide } of pixelMetrics.map(({ name }) => metric(name))) {
        if (Math.min(wide, high) >= minimumSide) assert.ok(Number.isFinite(score(crop)));
      }
      if (wide === 97) assert.equal(niqeFeatures(crop).length, 1);
    }
  });

  test('the entropy of one level is 0, of 256 equal levels 8 bits', () => {
    const levels = flat(256, 1);
    levels.data.forEach((_, at) => {
      levels.data[at] = Math.floor(at / 3);
    });

    assert.ok(Math.abs(metric('entropy').score(flat(9, 9))) < 1e-7);
    assert.ok(Math.abs(metric('entropy').score(levels) - 8) < 1e-5);
  });
});

describe('building blocks of no-reference metrics', () => {
  test('the luma of grey is that grey, and ties round to even', () => {
    const ramp = Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3));

    assert.deepEqual([...lumaBytes({ width: 256, height: 1, data: ramp }).data], [...Array(256).keys()]);
    assert.deepEqual([0.5, 1.5, 2.5, 2.4999, 254.5].map(roundHalfEven), [0, 2, 2, 2, 254]);
  });

  test('local contrast follows the formula at every size and border', () => {
    fc.assert(
      fc.property(aPlane, fc.constantFrom('zero' as const, 'nearest' as const), (plane, border) => {
        mscnRows32(plane, border, (row, y) => {
          row.forEach((value, x) => {
            assert.ok(Math.abs(value - contrastAt(plane, x, y, border)) < 1e-3, `${x} ${y}`);
          });
        });
        mscnRows64(plane, 1, (row, y) => {
          row.forEach((value, x) => {
            assert.ok(Math.abs(value - contrastAt(plane, x, y, 'nearest')) < 1e-9, `${x} ${y}`);
          });
        });
      }),
      { numRuns: tries(20, 60) },
    );
  });

  test('mirror padding repeats the edge pixel', () => {
    assert.deepEqual(
      [-2, -1, 0, 4, 5, 6].map((index) => mirrored(index, 5)),
      [1, 0, 0, 4, 4, 3],
    );
  });
});

const TAPS = Array.from({ length: 49 }, (_, tap) => {
  const [dy, dx] = [Math.floor(tap / 7) - 3, (tap % 7) - 3];
  return { dy, dx, weight: Math.exp(-(dx * dx + dy * dy) / (2 * (7 / 6) ** 2)) };
});
const TOTAL = TAPS.reduce((sum, { weight }) => sum + weight, 0);

const contrastAt = (
  plane: { readonly width: number; readonly height: number; readonly data: Uint8Array },
  x: number,
  y: number,
  border: 'zero' | 'nearest',
): number => {
  const pixel = (row: number, column: number): number => {
    const inside = row >= 0 && row < plane.height && column >= 0 && column < plane.width;
    if (!inside && border === 'zero') return 0;
    const [r, c] = [Math.min(Math.max(row, 0), plane.height - 1), Math.min(Math.max(column, 0), plane.width - 1)];
    return plane.data[r * plane.width + c] as number;
  };
  let [mean, power] = [0, 0];
  for (const { dy, dx, weight } of TAPS) {
    const value = pixel(y + dy, x + dx);
    mean += Math.fround(weight / TOTAL) * value;
    power += Math.fround(weight / TOTAL) * value * value;
  }
  return (pixel(y, x) - mean) / (Math.sqrt(Math.abs(power - mean * mean) + 2 ** -52) + 1);
};
