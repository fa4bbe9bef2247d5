import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseMetadata } from '../../shared/iqa/metadata.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { decideAmong, depsOf, TOOLS } from './catalogue.ts';

const file = new URL('../../metadata/tools.json', import.meta.url);
const image: readonly Tool[] = toDefinitions(
  parseMetadata(readFileSync(file, 'utf8'), 'tools.json').tools,
) as readonly Tool[];
const byName = new Map(image.map((tool) => [tool.name, tool]));
const deps = depsOf([...TOOLS, ...image]);
const picture = { key: 'a.png' };

describe('image requests', () => {
  for (const [task, type, strength] of [
    ['is this photo blurred compared with the original?', 'FR', 'Blurs'],
    ['how noisy is this picture?', 'NR', 'Noise'],
    ['check the image for compression artifacts against the reference', 'FR', 'Compression'],
    ['is the photo too dark?', 'NR', 'Brightness change'],
    ['how good is the contrast of this image', 'NR', 'Contrast'],
    ['这张照片和原图相比模糊吗？', 'FR', 'Blurs'],
    ['这张图片的噪点多不多？', 'NR', 'Noise'],
  ] as const) {
    test(`${task} is judged by a tool of type ${type} that is strong at ${strength}`, async () => {
      const context = type === 'FR' ? { image: picture, reference: picture } : { image: picture };

      const decision = await decideAmong(task, { context }, deps);

      const chosen = byName.get(decision.tool ?? '');
      assert.equal(chosen?.iqa?.type, type, `${decision.tool}: ${decision.reason}`);
      assert.ok(chosen?.iqa?.strengths.includes(strength), `${decision.tool}: ${chosen?.iqa?.strengths}`);
      assert.deepEqual(decision.arguments, context);
      assert.equal(decision.ready, true);
    });
  }

  test('without the picture it is asked for', async () => {
    const decision = await decideAmong('is this photo blurred?', {}, deps);

    assert.equal(byName.get(decision.tool ?? '')?.iqa?.type, 'NR');
    assert.deepEqual(
      decision.missing.map(({ parameter }) => parameter),
      ['image'],
    );
    assert.equal(decision.ready, false);
  });

  test('other requests with a picture go to other tools', async () => {
    assert.equal(
      (await decideAmong('resize the image cat.png to width 100 and height 50', {}, deps)).tool,
      'resize_image',
    );
  });
});
