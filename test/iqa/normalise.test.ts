import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { normaliseScore } from '../../shared/iqa/normalise.ts';

const QALIGN = { name: 'qalign', logistic_params: { beta1: 5, beta2: 1, beta3: 3, beta4: 0.5 } };
const finite = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
const params = fc.record({
  beta1: fc.double({ noNaN: true, min: -10, max: 10 }),
  beta2: fc.double({ noNaN: true, min: -10, max: 10 }),
  beta3: finite,
  beta4: fc.double({ noNaN: true, min: 1e-3, max: 1e3 }),
});

describe('normalising a score', () => {
  test("R0.08 normalising applies the logistic with the tool's own parameters", () => {
    assert.equal(normaliseScore(QALIGN, 3).normalized, 3);
    assert.equal(normaliseScore(QALIGN, 4).normalized, 4 / (1 + Math.exp(-2)) + 1);
    assert.deepEqual(normaliseScore(QALIGN, 4).warnings, []);
  });

  test('R0.08 only the magnitude of beta4 counts', () => {
    const mirrored = { ...QALIGN, logistic_params: { ...QALIGN.logistic_params, beta4: -0.5 } };

    assert.equal(normaliseScore(mirrored, 4).normalized, normaliseScore(QALIGN, 4).normalized);
  });

  test('R0.09 a tool without parameters gets 5, 1, 0.5, 0.1, with a warning', () => {
    const { normalized, warnings } = normaliseScore({ name: 'x' }, 0.6);

    assert.equal(normalized, 4 / (1 + Math.exp(-(0.6 - 0.5) / 0.1)) + 1);
    assert.match(warnings[0] ?? '', /x has no logistic_params/);
  });

  test('R0.09 a lower-is-better tool without parameters gets 1, 5, 0.5, 0.1', () => {
    const { normalized } = normaliseScore({ name: 'x', lower_better: true }, 0.6);

    assert.equal(normalized, -4 / (1 + Math.exp(-(0.6 - 0.5) / 0.1)) + 5);
  });

  test('R0.10 normalised scores are clipped to [1, 5], with a warning', () => {
    const wide = { name: 'x', logistic_params: { beta1: 6, beta2: 0, beta3: 0, beta4: 1 } };

    const high = normaliseScore(wide, 100);
    const low = normaliseScore(wide, -100);

    assert.deepEqual([high.normalized, low.normalized], [5, 1]);
    assert.match(high.warnings[0] ?? '', /x: 6 is outside \[1, 5\] and was clipped to 5/);
    assert.match(low.warnings[0] ?? '', /clipped to 1/);
    assert.deepEqual(normaliseScore(wide, 0).warnings, []);
  });

  test('R0.11 a lower-is-better score is inverted, in whichever order the pair is written', () => {
    const rising = { name: 'x', lower_better: true, logistic_params: { beta1: 5, beta2: 1, beta3: 50, beta4: 10 } };
    const falling = { ...rising, logistic_params: { beta1: 1, beta2: 5, beta3: 50, beta4: 10 } };

    assert.ok(normaliseScore(rising, 10).normalized > normaliseScore(rising, 90).normalized);
    assert.deepEqual(normaliseScore(rising, 10), normaliseScore(falling, 10));
  });

  test('R0.08 R0.11 a normalised score is in [1, 5] and never falls as quality rises', () => {
    fc.assert(
      fc.property(params, fc.boolean(), finite, finite, (logistic_params, lower_better, a, b) => {
        const tool = { name: 'x', logistic_params, lower_better };
        const [worse, better] = lower_better ? [Math.max(a, b), Math.min(a, b)] : [Math.min(a, b), Math.max(a, b)];
        const [low, high] = [worse, better].map((raw) => normaliseScore(tool, raw).normalized) as [number, number];

        assert.ok(low >= 1 && high <= 5 && low <= high);
      }),
    );
  });

  test('infinite scores normalise to the ends, and NaN is refused', () => {
    assert.equal(normaliseScore(QALIGN, Number.POSITIVE_INFINITY).normalized, 5);
    assert.equal(normaliseScore(QALIGN, Number.NEGATIVE_INFINITY).normalized, 1);
    assert.throws(() => normaliseScore(QALIGN, Number.NaN), { name: 'ToolExecutionError' });
  });
});
