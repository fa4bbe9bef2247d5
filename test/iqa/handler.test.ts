import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { iqaHandler } from '../../shared/iqa/handler.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { goldenImage, scoring, testEngine } from '../support/iqa.ts';

const picture = goldenImage('chelsea_jpeg_2.png');
const base64 = Buffer.from(picture.bytes).toString('base64');

describe('the handler of image-quality tools', () => {
  const engine = testEngine();
  after(() => engine.close());
  const { deps } = scoring(engine);
  const stored = new Map([['default/photo.png', goldenImage('chelsea.png').bytes]]);
  const handler = iqaHandler({ ...deps, readImage: async (tenant, key) => stored.get(`${tenant}/${key}`) });
  const call = (tool: string, args: Readonly<Record<string, unknown>>, tenant = 'default') =>
    handler.run(args, {
      tenant,
      tool: { name: tool, version: '1.0.0' },
      signal: new AbortController().signal,
    } as CallContext);

  test('a base64 picture is scored against a stored one', async () => {
    const output = (await call('ssim', { image: { base64 }, reference: { key: 'photo.png' } })) as Record<
      string,
      unknown
    >;

    assert.ok(Math.abs((output.raw as number) - 0.89951563) < 2e-5);
    assert.deepEqual(Object.keys(output).sort(), [
      'cached',
      'duration_ms',
      'high',
      'image',
      'low',
      'normalized',
      'raw',
      'reference',
      'tool',
      'version',
      'warnings',
    ]);
  });

  test('a data URL and line breaks in base64 are accepted, other characters are not', async () => {
    const wrapped = `data:image/png;base64,${base64.replace(/(.{76})/g, '$1\n')}`;

    assert.ok(await call('entropy', { image: { base64: wrapped } }));
    await assert.rejects(call('entropy', { image: { base64: 'not base64!' } }), {
      message: /image\.base64 is not base64/,
    });
  });

  test('another tenant’s picture, a URL and a failing tool are faults', async () => {
    await assert.rejects(call('niqe', { image: { key: 'photo.png' } }, 'other'), {
      name: 'NotFound',
      message: /there is no picture photo\.png; upload it first/,
    });
    await assert.rejects(call('niqe', { image: { url: 'https://example.org/x.png' } }), { name: 'InvalidInput' });
    await assert.rejects(call('ssim', { image: { base64 } }), { name: 'InvalidInput', message: /give one/ });
  });
});
