import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { type FitPoint, fitImage } from '../../shared/iqa/fit.ts';
import { searchSmallest, TRIES } from '../../shared/iqa/fit-search.ts';
import { fitHandler } from '../../shared/iqa/fit-tool.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { goldenImage, scoring, testEngine, watchingMemory } from '../support/iqa.ts';

const image = goldenImage('chelsea.png');

describe('the search for the smallest file', () => {
  test('the search finds the same quality as trying all, where dips are at most five qualities long', async () => {
    const curve = fc.record({
      boundary: fc.integer({ min: 2, max: 99 }),
      // Islands that meet below the boundary, and holes that fail above it.
      islands: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(curve, async ({ boundary, islands }) => {
        const meets = (quality: number): boolean => quality >= boundary || islands.includes(boundary - quality);
        const point = (quality: number) => ({ quality, meets: meets(quality), bytes: 100 + 10 * quality });
        let tries = 0;

        const found = await searchSmallest(async (quality) => {
          tries++;
          return point(quality);
        });

        const all = Array.from({ length: 100 }, (_, at) => point(at + 1)).filter((each) => each.meets);
        assert.equal(found?.bytes, Math.min(...all.map(({ bytes }) => bytes)));
        assert.ok(tries <= TRIES + 15, String(tries));
      }),
    );
  });

  test('the search chooses a higher quality whose file is smaller', async () => {
    const found = await searchSmallest(async (quality) => ({
      quality,
      meets: quality >= 50,
      bytes: quality === 51 ? 400 : 10 * quality,
    }));

    assert.equal(found?.quality, 51);
  });

  test('the search gives up when the best quality fails', async () => {
    assert.equal(await searchSmallest(async () => ({ meets: false, bytes: 1 })), undefined);
  });
});

describe('image_fit', () => {
  const engine = testEngine();
  after(() => engine.close());
  const { deps } = scoring(engine);

  test('image_fit finds the smallest file that meets the target, and reports the curve', async () => {
    const points: FitPoint[] = [];
    const { report, bytes } = await fitImage(deps, {
      image,
      target: { tool: 'ssim', value: 0.95 },
      formats: ['jpeg', 'webp'],
      progress: (point) => points.push(point),
    });

    const { best, curve } = report;
    assert.ok(best && best.raw >= 0.95 && best.meets);
    assert.equal(best.bytes, bytes?.length);
    assert.equal(best.bytes, Math.min(...curve.filter(({ meets }) => meets).map((point) => point.bytes)));
    const neighbour = curve.find(({ format, quality }) => format === best.format && quality === best.quality - 1);
    assert.equal(neighbour?.meets, false, 'one step less quality no longer meets it');
    assert.equal(points.length, curve.length);
    assert.deepEqual(
      curve.map(({ format }) => format),
      [...curve.map(({ format }) => format)].sort(),
    );
  });

  test('the file of image_fit has the score that was reported', async () => {
    const { report, bytes } = await fitImage(deps, { image, target: { tool: 'psnr', value: 33 }, formats: ['jpeg'] });
    const [picture, reference] = [await engine.decode(bytes ?? assert.fail()), await engine.decode(image.bytes)];

    assert.equal(picture.format, 'jpeg');
    assert.equal(await engine.score({ tool: 'psnr', picture, reference }), report.best?.raw);
  });

  test('image_fit accepts ssimulacra2 under its usual name', async () => {
    const { report } = await fitImage(deps, { image, target: { tool: 'ssimulacra2', value: 70 }, formats: ['jpeg'] });

    assert.ok(report.best && report.best.raw >= 70 && report.best.raw < 75);
  });

  test('image_fit meets a lower-is-better metric from above', async () => {
    const { report } = await fitImage(deps, { image, target: { tool: 'gmsd', value: 0.05 }, formats: ['jpeg'] });

    assert.ok(report.best && report.best.raw <= 0.05);
  });

  test('a target that no quality meets gives no file, and says what was tried', async () => {
    const watching = watchingMemory(engine);
    const { report, bytes } = await fitImage(
      { ...deps, engine: watching.engine },
      { image, target: { tool: 'ssim', value: 1 }, formats: ['jpeg'] },
    );

    assert.deepEqual([...watching.held], [], 'and the memory is given back');
    assert.equal(report.best, null);
    assert.equal(bytes, undefined);
    assert.deepEqual(
      report.curve.map(({ quality }) => quality),
      [100],
    );
  });

  test('image_fit refuses a no-reference metric, an unknown one and a file that is not a picture', async () => {
    const fit = (tool: string, over = {}) => fitImage(deps, { image, target: { tool, value: 1 }, ...over });

    await assert.rejects(fit('niqe'), { name: 'InvalidInput', message: /niqe takes no reference/ });
    await assert.rejects(fit('absent'), { name: 'NotFound' });
    await assert.rejects(fit('dists'), { name: 'Unavailable' });
    await assert.rejects(fit('ssim', { image: { bytes: new Uint8Array(0), name: 'empty.png' } }), {
      name: 'InvalidInput',
      message: /empty\.png/,
    });
  });

  test('image_fit stops when its caller cancels', async () => {
    const stop = new AbortController();
    const progress = () => stop.abort(new Error('enough'));

    const fitting = fitImage(deps, { image, target: { tool: 'ssim', value: 0.9 }, signal: stop.signal, progress });

    await assert.rejects(fitting);
  });

  test('image_fit as a tool accepts base64 and returns the file', async () => {
    const handler = fitHandler({ ...deps, readImage: async () => undefined });
    const context = { tenant: 'default', signal: new AbortController().signal } as unknown as CallContext;
    const args = { image: { base64: Buffer.from(image.bytes).toString('base64') }, target: 0.9, formats: ['jpeg'] };

    const output = (await handler.run(args, context)) as { best: FitPoint; result: { base64: string } };

    assert.equal(Buffer.from(output.result.base64, 'base64').length, output.best.bytes);
    await assert.rejects(handler.run({ ...args, formats: ['gif'] }, context), { name: 'InvalidInput' });
    await assert.rejects(handler.run({ ...args, image: { key: 'x' } }, context), { name: 'NotFound' });
  });
});
