import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMetadata } from '../../shared/iqa/metadata.ts';
import { isToolAvailable, toolsByType, toolsForDistortion } from '../../shared/iqa/queries.ts';

const catalogue = parseMetadata(
  JSON.stringify({
    niqe: { type: 'NR', strengths: ['Noise'] },
    brisque: { type: 'NR', strengths: ['Noise', 'Blurs'] },
    ssim: { type: 'FR', strengths: ['Blurs', 'Noise'] },
    vif: { type: 'FR', strengths: [] },
    fsim: { type: 'FR', strengths: ['Noise'] },
  }),
  'tools.json',
);

describe('tool queries', () => {
  test('R0.16 a query lists tools strong at a distortion, full-reference first with a reference', () => {
    assert.deepEqual(toolsForDistortion(catalogue, 'Noise', { reference: true }), ['fsim', 'ssim', 'brisque', 'niqe']);
    assert.deepEqual(toolsForDistortion(catalogue, 'Noise'), ['brisque', 'niqe', 'fsim', 'ssim']);
    assert.deepEqual(toolsForDistortion(catalogue, 'blurs', { reference: true }), ['ssim', 'brisque']);
    assert.deepEqual(toolsForDistortion(catalogue, 'Contrast'), []);
  });

  test('R0.16 an unknown distortion is refused with the known ones', () => {
    assert.throws(() => toolsForDistortion(catalogue, 'Blur'), {
      name: 'InvalidInput',
      message: /Blur is not a distortion category; did you mean Blurs\?; there are Blurs, Color distortions/,
    });
  });

  test('R0.17 a query lists tools by type, whatever their strengths', () => {
    assert.deepEqual(toolsByType(catalogue, 'FR'), ['fsim', 'ssim', 'vif']);
    assert.deepEqual(toolsByType(catalogue, 'NR'), ['brisque', 'niqe']);
  });

  test('R0.18 a tool is available when it is declared and, on request, when it can be loaded', () => {
    const canLoad = ({ name }: { readonly name: string }): boolean => name === 'ssim';

    assert.equal(isToolAvailable(catalogue, 'SSIM'), true);
    assert.equal(isToolAvailable(catalogue, 'absent'), false);
    assert.equal(isToolAvailable(catalogue, 'ssim', canLoad), true);
    assert.equal(isToolAvailable(catalogue, 'vif', canLoad), false);
    assert.equal(
      isToolAvailable(catalogue, 'absent', () => true),
      false,
    );
  });
});
