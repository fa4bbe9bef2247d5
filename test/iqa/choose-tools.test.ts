import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseTools } from '../../shared/iqa/choose-tools.ts';
import { parseMetadata } from '../../shared/iqa/metadata.ts';

const logistic_params = { beta1: 5, beta2: 1, beta3: 0.5, beta4: 0.1 };
const benchmark = (srcc: number) => ({ dataset: 'x', srcc, source: 'x' });
const catalogue = parseMetadata(
  JSON.stringify({
    psnr: { type: 'FR', strengths: ['Noise'], logistic_params, benchmark: benchmark(0.6) },
    ssim: { type: 'FR', strengths: ['Noise', 'Blurs'], logistic_params, benchmark: benchmark(0.7) },
    vsi: { type: 'FR', strengths: ['Blurs'], logistic_params, benchmark: benchmark(0.9) },
    gmsd: { type: 'FR', strengths: [], logistic_params },
    lpips: { type: 'FR', strengths: ['Blurs'], benchmark: benchmark(0.99) },
    niqe: { type: 'NR', strengths: ['Noise'], logistic_params, benchmark: benchmark(0.45) },
    entropy: { type: 'NR', strengths: ['Contrast'], logistic_params, measures: 'information' },
    nima: { type: 'NR', strengths: [], logistic_params, measures: 'aesthetics', benchmark: benchmark(0.7) },
  }),
  'tools.json',
);
const all = () => true;

describe('choosing tools', () => {
  test('named tools are used as named, once each', () => {
    const wish = { hasReference: true, tools: ['ssim', 'psnr', 'ssim'], distortions: ['Blurs'] };

    assert.deepEqual(chooseTools(catalogue, wish, all), ['ssim', 'psnr']);
  });

  test('the default tools of a mode are calibrated quality metrics, ordered by published accuracy', () => {
    assert.deepEqual(chooseTools(catalogue, { hasReference: true }, all), ['vsi', 'ssim', 'psnr']);
    assert.deepEqual(chooseTools(catalogue, { hasReference: false }, all), ['niqe']);
  });

  test('tools that cannot run here are not chosen', () => {
    const chosen = chooseTools(catalogue, { hasReference: true }, ({ name }) => name !== 'vsi');

    assert.deepEqual(chosen, ['ssim', 'psnr', 'gmsd']);
  });

  test('tools strong at more of the distortions rank first, full-reference before no-reference', () => {
    const wish = { hasReference: true, distortions: ['Blurs', 'Noise'] };

    assert.deepEqual(chooseTools(catalogue, wish, all), ['ssim', 'lpips', 'vsi', 'niqe']);
    assert.deepEqual(chooseTools(catalogue, { hasReference: false, distortions: ['contrast'] }, all), ['entropy']);
  });

  test('the error for no matching tool names the distortions', () => {
    assert.throws(() => chooseTools(catalogue, { hasReference: false, distortions: ['Blurs'] }, all), {
      name: 'Unavailable',
      message: /no no-reference tool that can run here is strong at Blurs/,
    });
  });
});
