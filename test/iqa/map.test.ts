import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { chooseMapTool, heatMap, MAP_SCALES } from '../../shared/iqa/heat-map.ts';
import { withLegend } from '../../shared/iqa/map-legend.ts';
import { mapHandler } from '../../shared/iqa/map-tool.ts';
import { graphMetrics } from '../../shared/iqa/metrics.ts';
import { paintQualityMap } from '../../shared/iqa/paint-map.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { goldenImage, testEngine } from '../support/iqa.ts';

const [image, reference] = [goldenImage('chelsea_blur_2.png'), goldenImage('chelsea.png')];

describe('quality maps', () => {
  const engine = testEngine();
  after(() => engine.close());

  test('every metric with a map has its own scale', () => {
    assert.deepEqual(
      graphMetrics.flatMap(({ name, map }) => (map ? [name] : [])).sort(),
      Object.keys(MAP_SCALES).sort(),
    );
  });

  test('the scale of a map is the same for every picture: a slight loss is darker than a strong one', () => {
    const pixels = { width: 2, height: 1, data: new Uint8Array(6).fill(100) };
    const painted = (value: number) => {
      const values = Float32Array.of(value, value);
      return (
        heatMap(pixels, { width: 2, height: 1, values, left: 0, top: 0, step: 1 }, { low: 0.5, high: 1 }).data[0] ?? 0
      );
    };

    assert.ok(painted(1) < painted(0.9) && painted(0.9) < painted(0.6));
    assert.equal(painted(0.5), painted(0.1), 'and below its lower end nothing is hotter');
  });

  test('the map is drawn by the metric of the score, where it has one', () => {
    assert.equal(chooseMapTool(['haarpsi', 'SSIM']), 'ssim');
    assert.equal(chooseMapTool([]), 'vsi');
    assert.equal(chooseMapTool(['psnr']), 'psnr', 'and one without is refused by name');
  });

  test('the map’s legend is below the picture, which is unchanged', async () => {
    const plain = await paintQualityMap(engine, { tool: 'ssim', image, reference });
    const labelled = await paintQualityMap(engine, { tool: 'ssim', image, reference, hasLegend: true });

    const { width, height, data } = plain.pixels;
    assert.deepEqual([plain.low, plain.high], [0.45, 1]);
    assert.deepEqual([labelled.pixels.width, labelled.pixels.height > height], [width, true]);
    assert.equal(Buffer.compare(labelled.pixels.data.subarray(0, data.length), data), 0);
    assert.ok(new Set(labelled.pixels.data.subarray(data.length)).size > 50, 'the strip has the colours of the scale');
  });

  test('the legend can print the name of every metric with a map', () => {
    const picture = { width: 200, height: 1, data: new Uint8Array(600) };
    for (const [tool, scale] of Object.entries(MAP_SCALES)) {
      const { data } = withLegend(picture, tool, scale);
      const isInk = (x: number) => Array.from({ length: 22 }, (_, y) => data[((y + 1) * 200 + x) * 3]).includes(235);
      for (const [at, sign] of [...tool].entries())
        assert.ok([0, 1, 2, 3, 4, 5].map((x) => 4 + 8 * at + x).some(isInk), `${sign} of ${tool}`);
    }
  });

  test('score_map returns an image block small enough for a model’s context', async () => {
    const handler = mapHandler({ engine, readImage: async () => undefined });
    const context = { tenant: 'default', signal: new AbortController().signal } as unknown as CallContext;
    const base64 = ({ bytes }: { bytes: Uint8Array }) => ({ base64: Buffer.from(bytes).toString('base64') });
    const args = { image: base64(image), reference: base64(reference) };

    const { content } = (await handler.run(args, context)) as { content: readonly Record<string, string>[] };

    assert.deepEqual(
      content.map(({ type, mimeType }) => [type, mimeType]),
      [
        ['image', 'image/webp'],
        ['text', undefined],
      ],
    );
    assert.ok((content[0]?.data?.length ?? 0) <= 16_384);
    assert.match(content[1]?.text ?? '', /vsi map: 0.88 glows fully/);
    await assert.rejects(handler.run({ ...args, metric: 'psnr' }, context), { name: 'InvalidInput' });
    await assert.rejects(handler.run({ image: args.image }, context), { name: 'InvalidInput' });
  });
});
