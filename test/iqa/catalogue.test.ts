import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { graphMetrics } from '../../shared/iqa/metrics.ts';
import { pixelMetrics } from '../../shared/iqa/nr/metrics.ts';
import { shippedComputations } from '../../shared/iqa/shipped.ts';
import { shippedCatalogue } from '../support/iqa.ts';

const { tools, find } = shippedCatalogue();
const shipped = tools.filter(({ graph }) => graph !== undefined);

describe('the shipped metric catalogue', () => {
  test('R0.18 every shipped metric is declared, with its mode and smallest side', () => {
    const declared = Object.fromEntries(shipped.map((tool) => [tool.graph, [tool.type, tool.minimum_side]]));

    const built = [
      ...graphMetrics.map(({ name, minimumSide }) => [name, ['FR', minimumSide]] as const),
      ...pixelMetrics.map(({ name, minimumSide }) => [name, ['NR', minimumSide]] as const),
    ];
    assert.deepEqual(declared, Object.fromEntries(built));
  });

  test('R0.12 every shipped metric has its own digest', () => {
    const computations = shippedComputations();

    const digests = shipped.map(({ graph = '' }) => computations.digest(graph));

    assert.equal(new Set(digests).size, shipped.length);
    for (const digest of digests) assert.match(digest, /^[0-9a-f]{64}$/);
    assert.equal(computations.has('topiq_fr'), false);
  });

  test('every metric declares what it measures, its direction, range and price', () => {
    for (const { name, title, description, lower_better, range, price_micros, version } of tools) {
      assert.ok(title && description && version, name);
      assert.ok(lower_better !== undefined && range && price_micros !== undefined, name);
    }
  });

  test('every claimed strength names its source, and the shipped metrics were measured', () => {
    for (const { name, strengths, evidence } of tools) assert.ok(strengths.length === 0 || evidence, name);
    for (const { name, evidence } of shipped) assert.equal(evidence, 'measured', name);
  });

  test('metric directions are those of IQA-PyTorch', () => {
    const lower = ['brisque', 'dists', 'gmsd', 'lpips', 'mad', 'niqe', 'nlpd', 'pieapp', 'piqe'];
    const higher = ['clipiqa', 'entropy', 'fsim', 'musiq', 'psnr', 'qalign', 'ssim', 'topiq_fr', 'vif', 'vsi'];

    for (const name of lower) assert.equal(find(name)?.lower_better, true, name);
    for (const name of higher) assert.equal(find(name)?.lower_better, false, name);
  });
});
