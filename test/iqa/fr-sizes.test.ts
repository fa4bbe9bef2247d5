import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { createSessions, graphRunner } from '../../shared/adapters/onnx/sessions.ts';
import type { Picture, Pixels } from '../../shared/iqa/engine.ts';
import type { Pair } from '../../shared/iqa/metric.ts';
import { graphMetric, graphMetrics } from '../../shared/iqa/metrics.ts';
import { testEngine } from '../support/iqa.ts';
import { tries } from '../support/sampling.ts';
import { lumaGrid, plainGmsd, plainMsSsim, plainNlpd, plainPsnr, plainSsim } from './fr-plain.ts';

const runner = graphRunner(
  createSessions(['cpu'], () => {}),
  () => {},
);

/** Slopes, waves and noise, different for each seed. */
function scene(width: number, height: number, noise: number, seed = 1): Pixels {
  const data = new Uint8Array(new SharedArrayBuffer(width * height * 3));
  let state = seed;
  for (let at = 0; at < data.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const [x, y, channel] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width), at % 3];
    const value = 120 + 60 * Math.sin(x / (5 + channel)) * Math.cos(y / 7) + noise * (state / 2 ** 31 - 1);
    data[at] = Math.min(255, Math.max(0, value));
  }
  return { width, height, data };
}

const asPicture = (pixels: Pixels, name = 'a.png'): Picture => ({ name, format: 'png', pixels, notes: [] });

describe('full-reference metrics on odd and small sizes', () => {
  const engine = testEngine();
  after(() => engine.close());
  const score = (tool: string, { picture, reference }: Pair): Promise<number> =>
    engine.score({ tool, picture: asPicture(picture), reference: asPicture(reference, 'b.png') });

  test('full-reference metrics agree with plain loops on odd and small sizes', async () => {
    for (const [width, height] of [
      [11, 11],
      [12, 29],
      [37, 16],
      [63, 145],
      [130, 33],
    ] as const) {
      const pair = { picture: scene(width, height, 30), reference: scene(width, height, 6, 2) };
      const [x, y] = [lumaGrid(pair.picture), lumaGrid(pair.reference)];

      const [psnr, ssim, gmsd] = await Promise.all(['psnr', 'ssim', 'gmsd'].map((tool) => score(tool, pair)));

      const where = `${width} x ${height}`;
      assert.ok(Math.abs((psnr ?? 0) - plainPsnr(pair.picture, pair.reference)) < 1e-9, `psnr ${where}`);
      assert.ok(Math.abs((ssim ?? 0) - plainSsim(x, y).ssim) < 2e-6, `ssim ${where}`);
      assert.ok(Math.abs((gmsd ?? 0) - plainGmsd(x, y)) < 2e-6, `gmsd ${where}`);
    }
  });

  test('ms_ssim agrees with plain loops on sides that stay odd when halved', async () => {
    const pair = { picture: scene(161, 165, 40), reference: scene(161, 165, 5, 2) };

    const value = await score('ms_ssim', pair);

    assert.ok(Math.abs(value - plainMsSsim(lumaGrid(pair.picture), lumaGrid(pair.reference))) < 2e-6);
  });

  test('every full-reference metric works from its smallest side on and is best for equal pictures', async () => {
    const best = { psnr: 80, psnry: 80, gmsd: 0, nlpd: 0, mdsi: 0, lpips: 0, ssimulacra2: 100 } as Readonly<
      Record<string, number>
    >;
    for (const { name, minimumSide } of graphMetrics) {
      for (const longer of [minimumSide, minimumSide + 5]) {
        const reference = scene(longer, minimumSide, 20);
        const other = scene(longer, minimumSide, 60, 3);

        const [equal, different] = await Promise.all([
          score(name, { picture: reference, reference }),
          score(name, { picture: other, reference }),
        ]);

        assert.ok(Math.abs((equal ?? 0) - (best[name] ?? 1)) < 1e-5, `${name} ${longer} x ${minimumSide}: ${equal}`);
        assert.notEqual(different, equal, name);
      }
    }
  });

  test('a side below the metric’s minimum is refused with tool, picture and size', async () => {
    const small = scene(160, 161, 20);

    await assert.rejects(score('ms_ssim', { picture: small, reference: small }), {
      name: 'InvalidInput',
      message: /ms_ssim needs 161 pixels on each side, a\.png has 160 x 161/,
    });
    await assert.rejects(score('ssim', { picture: scene(1, 1, 0), reference: scene(1, 1, 0) }), {
      name: 'InvalidInput',
    });
  });

  test('fsim and cw_ssim are undefined for uniform pictures; fsim of two equal colours is 1', async () => {
    const flat = { width: 80, height: 70, data: new Uint8Array(80 * 70 * 3).fill(128) };
    const darker = { ...flat, data: new Uint8Array(80 * 70 * 3).fill(118) };

    for (const tool of ['fsim', 'cw_ssim']) {
      const message = new RegExp(`${tool} is undefined for a picture of one brightness.*use ssim`);
      await assert.rejects(score(tool, { picture: scene(80, 70, 9), reference: flat }), {
        name: 'InvalidInput',
        message,
      });
      await assert.rejects(score(tool, { picture: flat, reference: darker }), { name: 'InvalidInput', message });
    }
    await assert.rejects(score('cw_ssim', { picture: flat, reference: flat }), { name: 'InvalidInput' });
    assert.equal(await score('fsim', { picture: flat, reference: flat }), 1);
    assert.equal(await score('vsi', { picture: flat, reference: flat }), 1);
  });

  test('X.14 vif of waves and ramps equals IQA-PyTorch’s in float64, is 1 for equal pictures and undefined for uniform ones', async () => {
    const waves = (contrast: number) => {
      const data = new Uint8Array(256 * 256 * 3).map((_, at) => {
        const [x, y] = [Math.floor(at / 3) % 256, Math.floor(at / 768)];
        return Math.round(contrast * (128 + 60 * Math.sin(x / 80) * Math.cos(y / 90)));
      });
      return { width: 256, height: 256, data };
    };
    const flat = { width: 80, height: 70, data: new Uint8Array(80 * 70 * 3).fill(128) };

    // The same everywhere but at the border: whatever rounding leaves there would be taken for information.
    const ramp = (contrast: number) => {
      const row = (at: number): number => 30 + Math.floor(at / (3 * 192));
      const data = new Uint8Array(192 * 160 * 3).map((_, at) => Math.round(128 + contrast * (row(at) - 128)));
      return { width: 192, height: 160, data };
    };

    const found = await score('vif', { picture: waves(1), reference: waves(0.97) });
    const ofRamps = await score('vif', { picture: ramp(0.9), reference: ramp(1) });

    assert.ok(Math.abs(found - 0.6291488) < 1e-6, String(found));
    assert.ok(Math.abs(ofRamps - 0.268254) < 1e-5, String(ofRamps));
    assert.equal(await score('vif', { picture: waves(1), reference: waves(1) }), 1);
    assert.equal(await score('vif', { picture: flat, reference: flat }), 1);
    await assert.rejects(score('vif', { picture: scene(80, 70, 9), reference: flat }), {
      name: 'InvalidInput',
      message: /vif is undefined for a reference of one brightness/,
    });
  });

  test('ramps and stripes, empty in some orientations, still score at most 1 by cw_ssim', async () => {
    const stripes = scene(96, 80, 0);
    stripes.data.forEach((_, at) => {
      stripes.data[at] = Math.floor(at / 3) % 96 < 48 ? 40 : 200;
    });

    assert.ok(Math.abs((await score('cw_ssim', { picture: stripes, reference: stripes })) - 1) < 1e-5);
  });

  test('the mean of a quality map is the score', async () => {
    const pair = { picture: scene(203, 171, 30), reference: scene(203, 171, 5, 2) };
    const request = (tool: string) => ({
      tool,
      picture: asPicture(pair.picture),
      reference: asPicture(pair.reference),
    });

    const ssim = await engine.map(request('ssim'));
    assert.deepEqual([ssim.width, ssim.height, ssim.left, ssim.top, ssim.step], [193, 161, 5, 5, 1]);
    const mean = ssim.values.reduce((a, b) => a + b, 0) / ssim.values.length;
    assert.ok(Math.abs(mean - (await score('ssim', pair))) < 1e-6);

    const gmsd = await engine.map(request('gmsd'));
    const average = gmsd.values.reduce((a, b) => a + b, 0) / gmsd.values.length;
    const variance = gmsd.values.reduce((a, b) => a + (b - average) ** 2, 0) / (gmsd.values.length - 1);
    assert.ok(Math.abs(Math.sqrt(variance) - (await score('gmsd', pair))) < 1e-5);

    for (const tool of ['fsim', 'vsi']) {
      const { width, height, values } = await engine.map(request(tool));
      assert.deepEqual([width, height, values.length], [203, 171, 203 * 171]);
      assert.ok(values.every((value) => value > 0 && value <= 1.0001));
    }
    await assert.rejects(engine.map(request('psnr')), { name: 'InvalidInput', message: /psnr has no quality map/ });
  });

  test('fsim is the same for a transposed picture, whose longer axis takes another transform', async () => {
    const turn = ({ width, height, data }: Pixels): Pixels => ({
      width: height,
      height: width,
      data: data.map((_, at) => {
        const [x, y] = [Math.floor(at / 3) % height, Math.floor(at / 3 / height)];
        return data[(x * width + y) * 3 + (at % 3)] as number;
      }),
    });
    const pair = { picture: scene(120, 90, 30), reference: scene(120, 90, 5, 2) };

    const turned = await score('fsim', { picture: turn(pair.picture), reference: turn(pair.reference) });

    assert.ok(Math.abs(turned - (await score('fsim', pair))) < 5e-6);
  });
});

describe('computing in strips', () => {
  test('sums over any strips add up to those of the whole picture', async () => {
    const names = ['psnr', 'psnry', 'ssim', 'ssimc', 'ms_ssim', 'gmsd', 'lpips', 'ssimulacra2'];
    const size = fc.integer({ min: 161, max: 420 });
    await fc.assert(
      fc.asyncProperty(size, size, fc.double({ min: 0.05, max: 0.95, noNaN: true }), async (width, height, share) => {
        const pair = { picture: scene(width, height, 30), reference: scene(width, height, 5, 2) };
        for (const name of names) {
          const metric = graphMetric(name);
          if (metric?.kind !== 'strips') assert.fail(name);
          const rows = metric.rows(pair.picture);
          const cut = Math.min(rows - 1, Math.max(1, Math.round(rows * share)));

          const whole = await metric.sums(pair, { from: 0, to: rows }, runner);
          const first = await metric.sums(pair, { from: 0, to: cut }, runner);
          const second = await metric.sums(pair, { from: cut, to: rows }, runner);

          const together = metric.finish(
            first.map((sum, index) => sum + (second[index] ?? 0)),
            pair.picture,
          );
          assert.ok(Math.abs(together - metric.finish(whole, pair.picture)) < 1e-6, `${name} ${width} x ${height}`);
        }
      }),
      { numRuns: tries(2, 8) },
    );
  });

  test('nlpd of pictures of 8 to 17 pixels equals a plain loop', async () => {
    const metric = graphMetric('nlpd');
    if (metric?.kind !== 'strips') assert.fail();
    for (const [width, height] of [
      [8, 8],
      [16, 16],
      [9, 16],
      [17, 8],
      [33, 40],
    ] as const) {
      const pair = { picture: scene(width, height, 30), reference: scene(width, height, 5, 2) };

      const sums = await metric.sums(pair, { from: 0, to: height }, runner);

      const distance = Math.abs(metric.finish(sums, pair.picture) - plainNlpd(pair.picture, pair.reference));
      assert.ok(distance < 1e-6, `${width} x ${height}: ${distance}`);
    }
  });

  test('nlpd is the same in one tile and in several', async () => {
    const metric = graphMetric('nlpd');
    if (metric?.kind !== 'strips') assert.fail();
    const pair = { picture: scene(300, 420, 30), reference: scene(300, 420, 5, 2) };

    const whole = await metric.sums(pair, { from: 0, to: 420 }, runner);
    const first = await metric.sums(pair, { from: 0, to: 224 }, runner);
    const second = await metric.sums(pair, { from: 224, to: 420 }, runner);

    const together = metric.finish(
      first.map((sum, index) => sum + (second[index] ?? 0)),
      pair.picture,
    );
    assert.ok(Math.abs(together - metric.finish(whole, pair.picture)) < 1e-7);
  });
});
