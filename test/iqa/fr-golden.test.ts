import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { Picture } from '../../shared/iqa/engine.ts';
import { graphMetrics } from '../../shared/iqa/metrics.ts';
import { goldenImage, testEngine } from '../support/iqa.ts';
import { sampleOf } from '../support/sampling.ts';

/** How far a score may be from the published figure: what the metric is promised to hold, or tighter where it can. */
const tolerance: Readonly<Record<string, number>> = {
  psnr: 1e-5,
  psnry: 1e-5,
  ssim: 5e-6,
  ssimc: 5e-6,
  ms_ssim: 5e-6,
  gmsd: 5e-6,
  nlpd: 2e-6,
  fsim: 2e-6,
  vsi: 2e-6,
  vif: 2e-5,
  cw_ssim: 1e-6,
  haarpsi: 1e-5,
  mdsi: 1e-5,
  ssimulacra2: 1e-5,
  lpips: 5e-5,
};

const golden = readFileSync(new URL('../golden/iqa/full-reference.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',') as [string, string, string, string]);

describe('R0.04 full-reference metrics match the published figures', () => {
  const engine = testEngine();
  const pictures = new Map<string, Promise<Picture>>();
  after(() => engine.close());

  const decoded = (name: string): Promise<Picture> => {
    const known = pictures.get(name) ?? engine.decode(goldenImage(name).bytes, name);
    pictures.set(name, known);
    return known;
  };

  for (const { name: tool } of graphMetrics) {
    const published = golden.filter(([, , metric]) => metric === tool);
    const rows = sampleOf(published, 1);
    test(`${['lpips', 'ssimulacra2'].includes(tool) ? 'X.14 ' : ''}${tool} is within ${tolerance[tool]} of the published values on ${rows.length} pairs`, async () => {
      assert.ok(published.length >= 10);

      const scores = await Promise.all(
        rows.map(async ([image, reference]) =>
          engine.score({ tool, picture: await decoded(image), reference: await decoded(reference) }),
        ),
      );

      for (const [index, [image, , , value]] of rows.entries()) {
        const distance = Math.abs((scores[index] ?? Number.NaN) - Number(value));
        assert.ok(distance <= (tolerance[tool] ?? 0), `${image}: ${scores[index]} instead of ${value}`);
      }
    });
  }
});
