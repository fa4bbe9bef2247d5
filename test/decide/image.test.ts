import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { Decision } from '../../shared/decide/decision.ts';
import { parseMetadata } from '../../shared/iqa/metadata.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import { imageBlobKey } from '../../shared/kernel/item-keys.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { testAssay } from '../support/assay.ts';
import { testEngine, testIqa } from '../support/iqa.ts';
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
    test(`${task} gets a tool of type ${type} that is strong at ${strength}`, async () => {
      const context = type === 'FR' ? { image: picture, reference: picture } : { image: picture };

      const decision = await decideAmong(task, { context }, deps);

      const chosen = byName.get(decision.tool ?? '');
      assert.equal(chosen?.iqa?.type, type, `${decision.tool}: ${decision.reason}`);
      assert.ok(chosen?.iqa?.strengths.includes(strength), `${decision.tool}: ${chosen?.iqa?.strengths}`);
      assert.deepEqual(decision.arguments, context);
      assert.equal(decision.ready, true);
    });
  }

  for (const task of ['rate the quality of portrait.jpg', 'how good is this photo?', '给这张照片的质量打分']) {
    test(`${task} gets a quality metric, not a tool for information, faces or beauty`, async () => {
      const { tool } = await decideAmong(task, { context: { image: picture } }, deps);

      const special = ['information', 'faces', 'aesthetics', 'underwater'];
      assert.equal(byName.get(tool ?? '')?.iqa?.type, 'NR');
      assert.deepEqual(
        byName.get(tool ?? '')?.tags?.filter((tag) => special.includes(tag)),
        [],
      );
    });
  }

  test('an image request without a picture asks for it', async () => {
    const decision = await decideAmong('is this photo blurred?', {}, deps);

    assert.equal(byName.get(decision.tool ?? '')?.iqa?.type, 'NR');
    assert.deepEqual(
      decision.missing.map(({ parameter }) => parameter),
      ['image'],
    );
    assert.equal(decision.ready, false);
  });

  test('other requests with a picture get other tools', async () => {
    assert.equal(
      (await decideAmong('resize the image cat.png to width 100 and height 50', {}, deps)).tool,
      'resize_image',
    );
  });
});

describe('image requests over HTTP', () => {
  const table = memoryTable();
  const blobs = memoryBlobs();
  const engine = testEngine();
  const iqa = testIqa({ engine, table, blobs });
  const server = testAssay({
    table,
    blobs,
    iqa,
    handlers: { builtin: new Map(), internal: iqa.handlers },
    discover: async () => [{ kind: 'shipped', source: 'assay', definitions: toDefinitions(iqa.catalogue.tools) }],
  });
  after(() => engine.close());

  for (const [task, type] of [
    ['is this photo blurred compared with the original?', 'FR'],
    ['这张照片和原图相比模糊吗？', 'FR'],
    ['how sharp is this photo?', 'NR'],
    ['is the colour of this picture distorted compared with the original?', 'FR'],
  ] as const) {
    test(`${task} gets a tool that can run, not one without its model`, async () => {
      const { json } = await server;
      const context = type === 'FR' ? { image: picture, reference: picture } : { image: picture };

      const { status, body } = await json<Decision>('POST', '/v1/decide', { task, context, top: 20 });

      assert.equal(status, 200);
      const chosen = iqa.catalogue.find(body.tool ?? '');
      const canRun = await iqa.computations.availability();
      assert.equal(chosen?.type, type);
      assert.ok(chosen !== undefined && canRun(chosen), `${body.tool} has no model here`);
      assert.deepEqual(
        body.alternatives.slice(0, 3).filter(({ reasons }) => reasons.includes('cannot run here yet')),
        [],
      );
    });
  }

  test('a request with a picture that was not uploaded is never ready, and asks for it', async () => {
    const { json } = await server;
    const task = 'how good is the quality of the picture holiday.png?';

    const before = await json<Decision>('POST', '/v1/decide', { task });
    await blobs.put(imageBlobKey('default', 'holiday.png'), new Uint8Array([1]));
    const after = await json<Decision>('POST', '/v1/decide', { task });

    assert.equal(before.body.ready, false);
    assert.deepEqual(
      before.body.doubts.map(({ parameter }) => parameter),
      ['image'],
    );
    assert.match(before.body.notes.join(), /there is no picture holiday\.png/u);
    assert.equal(after.body.ready, true);
  });

  test('a tool without its model is chosen only when no other is allowed, with the reason', async () => {
    const { json } = await server;

    const { body } = await json<Decision>('POST', '/v1/decide', {
      task: 'is this photo blurred?',
      context: { image: picture },
      allowed: ['topiq_nr'],
    });

    assert.equal(body.tool, 'topiq_nr');
    assert.match(body.reason, /cannot run here yet/u);
  });
});
