import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { createSessions, graphRunner } from '../../shared/adapters/onnx/sessions.ts';
import { haarpsi } from '../../shared/iqa/graphs/haarpsi.ts';
import { mdsi } from '../../shared/iqa/graphs/mdsi.ts';
import type { GraphMetric, Pair } from '../../shared/iqa/metric.ts';
import type { Pixels } from '../../shared/iqa/pixels.ts';
import { goldenImage } from '../support/iqa.ts';

const runner = graphRunner(
  createSessions(['cpu'], () => {}),
  () => {},
);

const golden = readFileSync(new URL('../golden/iqa/full-reference.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(',') as [string, string, string, string]);

const open = async (name: string): Promise<Pixels> => {
  const { data, info } = await sharp(goldenImage(name).bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
};

async function score(metric: GraphMetric, pair: Pair): Promise<number> {
  if (metric.kind === 'whole') return metric.score(pair, runner);
  return metric.finish(await metric.sums(pair, { from: 0, to: metric.rows(pair.picture) }, runner), pair.picture);
}

describe('metrics that match PIQ and are not declared yet', () => {
  for (const metric of [haarpsi, mdsi]) {
    const rows = golden.filter(([, , name]) => name === metric.name);

    test(`${metric.name} within 1e-5 on ${rows.length} pairs`, async () => {
      assert.ok(rows.length >= 10);
      for (const [image, reference, , value] of rows) {
        const actual = await score(metric, { picture: await open(image), reference: await open(reference) });

        assert.ok(Math.abs(actual - Number(value)) < 1e-5, `${image}: ${actual} instead of ${value}`);
      }
    });
  }

  test('equal pictures are best, also with odd sides', async () => {
    const data = Uint8Array.from({ length: 61 * 47 * 3 }, (_, at) => (at * 7919) % 251);
    const picture = { width: 61, height: 47, data };

    assert.ok(Math.abs((await score(haarpsi, { picture, reference: picture })) - 1) < 1e-5);
    assert.equal(await score(mdsi, { picture, reference: picture }), 0);
  });
});
