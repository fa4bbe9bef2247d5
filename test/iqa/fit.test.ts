import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type FitPoint, fitImage } from '../../shared/iqa/fit.ts';
import { fitHandler } from '../../shared/iqa/fit-tool.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { goldenImage, scoring, testEngine, watchingMemory } from '../support/iqa.ts';

const image = goldenImage('chelsea.png');

describe('image_fit', () => {
  const engine = testEngine();
  after(() => engine.close());
  const { deps } = scoring(engine);

  test('finds the smallest file that still meets the target, and reports the curve', async () => {
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

  test('the fitted file scores what was reported', async () => {
    const { report, bytes } = await fitImage(deps, { image, target: { tool: 'psnr', value: 33 }, formats: ['jpeg'] });
    const [picture, reference] = [await engine.decode(bytes ?? assert.fail()), await engine.decode(image.bytes)];

    assert.equal(picture.format, 'jpeg');
    assert.equal(await engine.score({ tool: 'psnr', picture, reference }), report.best?.raw);
  });

  test('a lower-is-better metric is met from above', async () => {
    const { report } = await fitImage(deps, { image, target: { tool: 'gmsd', value: 0.05 }, formats: ['jpeg'] });

    assert.ok(report.best && report.best.raw <= 0.05);
  });

  test('a target that nothing meets gives no file, and says what was tried', async () => {
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

  test('a no-reference metric, an unknown one and no picture are refused', async () => {
    const fit = (tool: string, over = {}) => fitImage(deps, { image, target: { tool, value: 1 }, ...over });

    await assert.rejects(fit('niqe'), { name: 'InvalidInput', message: /niqe cannot say how close a copy is/ });
    await assert.rejects(fit('absent'), { name: 'NotFound' });
    await assert.rejects(fit('lpips'), { name: 'Unavailable' });
    await assert.rejects(fit('ssim', { image: { bytes: new Uint8Array(0), name: 'empty.png' } }), {
      name: 'InvalidInput',
      message: /empty\.png/,
    });
  });

  test('it stops when the caller gives up', async () => {
    const stop = new AbortController();
    const progress = () => stop.abort(new Error('enough'));

    const fitting = fitImage(deps, { image, target: { tool: 'ssim', value: 0.9 }, signal: stop.signal, progress });

    await assert.rejects(fitting);
  });

  test('as a tool it takes base64 and gives the file back', async () => {
    const handler = fitHandler({ ...deps, readImage: async () => undefined });
    const context = { tenant: 'default', signal: new AbortController().signal } as unknown as CallContext;
    const args = { image: { base64: Buffer.from(image.bytes).toString('base64') }, target: 0.9, formats: ['jpeg'] };

    const output = (await handler.run(args, context)) as { best: FitPoint; result: { base64: string } };

    assert.equal(Buffer.from(output.result.base64, 'base64').length, output.best.bytes);
    await assert.rejects(handler.run({ ...args, formats: ['gif'] }, context), { name: 'InvalidInput' });
    await assert.rejects(handler.run({ ...args, image: { key: 'x' } }, context), { name: 'NotFound' });
  });
});
