import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fitLogistic } from '../../shared/iqa/calibration/fit-logistic.ts';
import { LADDER } from '../../shared/iqa/calibration/ladder.ts';
import { findStrengths, levelCorrelation, type Observation } from '../../shared/iqa/calibration/observe.ts';
import { rankCorrelation } from '../../shared/iqa/calibration/statistics.ts';
import { normaliseScore } from '../../shared/iqa/normalise.ts';
import { Distortion } from '../../shared/model/iqa.ts';
import { shippedCatalogue } from '../support/iqa.ts';

const photographs = ['a', 'b', 'c'];
const observe = (tool: string, kind: string, rawAt: (level: number, photograph: number) => number): Observation[] =>
  photographs.flatMap((photograph, i) =>
    [1, 2, 3, 4, 5].map((level) => ({ tool, photograph, kind, level, raw: rawAt(level, i) })),
  );
const pristine = (tool: string, raw: number): Observation[] =>
  photographs.map((photograph) => ({ tool, photograph, kind: 'none', level: 0, raw }));

describe('fitting a calibration', () => {
  test('fitting recovers the parameters that generated the points', () => {
    const made = { name: 'x', logistic_params: { beta1: 5, beta2: 1, beta3: 30, beta4: 6 } };
    const points = Array.from({ length: 40 }, (_, i) => ({ x: i * 1.5, y: normaliseScore(made, i * 1.5).normalized }));

    const { beta3, beta4 } = fitLogistic(points, false);

    assert.ok(Math.abs(beta3 - 30) < 0.05 && Math.abs(beta4 - 6) < 0.05);
  });

  test('a fitted logistic never falls as quality rises and stays within 1..5, for any points', () => {
    const point = fc.record({
      x: fc.double({ min: 0, max: 1, noNaN: true }),
      y: fc.double({ min: 1, max: 5, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.boolean(), fc.array(point, { minLength: 3, maxLength: 30 }), (lower_better, points) => {
        const tool = { name: 'x', lower_better, logistic_params: fitLogistic(points, lower_better) };
        const scores = [-0.1, 0, 0.25, 0.5, 0.75, 1, 1.1].map((raw) => normaliseScore(tool, raw));

        const rising = lower_better ? scores.toReversed() : scores;
        for (const [at, { normalized, warnings }] of rising.entries()) {
          assert.ok(at === 0 || normalized >= (rising[at - 1]?.normalized ?? 9) - 1e-9);
          assert.deepEqual(warnings, []);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('rank agreement is 1 when quality always falls, -1 when it always rises', () => {
    const tool = { name: 'x', type: 'NR' as const, lower_better: true };
    const rising = [...pristine('x', 0), ...observe('x', 'noise', (level) => level)];
    const falling = [...pristine('x', 0), ...observe('x', 'noise', (level) => -level)];

    assert.ok(Math.abs(levelCorrelation(rising, tool, 'noise') - 1) < 1e-12);
    assert.ok(Math.abs(levelCorrelation(falling, tool, 'noise') + 1) < 1e-12);
    assert.equal(rankCorrelation([1, 2, 3], [4, 4, 4]), 0);
  });

  test('a category is claimed by tools that rank it well, or nearly as well as the best of their type', () => {
    const tools = ['good', 'fair', 'blind'].map((name) => ({ name, type: 'NR' as const }));
    const observations = tools.flatMap(({ name }) => [
      ...pristine(name, 1),
      ...observe(name, 'blur', (level, photograph) =>
        name === 'good' ? -level : name === 'fair' ? -level - 20 * photograph : photograph,
      ),
    ]);

    const claims = findStrengths(observations, tools, new Map([['Blurs', ['blur']]]));

    assert.deepEqual(
      [...claims],
      [
        ['good', ['Blurs']],
        ['fair', []],
        ['blind', []],
      ],
    );
  });
});

describe('the shipped calibration', () => {
  const { tools } = shippedCatalogue();
  const shipped = tools.filter(({ graph }) => graph !== undefined);

  test('the calibration set has every distortion category in five levels of rising strength', () => {
    for (const category of Distortion.options)
      assert.ok(
        LADDER.some((rung) => rung.category === category),
        category,
      );
    for (const { kind, strengths } of LADDER) {
      const [first = 0, last = 0] = [strengths[0], strengths[4]];
      const steps = strengths.map((strength) => (strength - first) / (last - first));
      assert.deepEqual(
        steps,
        steps.toSorted((a, b) => a - b),
        kind,
      );
    }
  });

  test('every distortion category is claimed by a shipped tool of each type', () => {
    for (const category of Distortion.options) {
      for (const type of ['FR', 'NR']) {
        const claims = shipped.filter((tool) => tool.type === type && tool.strengths.includes(category));
        assert.ok(claims.length > 0, `${category} ${type}`);
      }
    }
  });

  test('every shipped tool is calibrated', () => {
    for (const tool of shipped) assert.ok(tool.logistic_params, tool.name);
  });

  test('no-reference tools declare the distortions they cannot detect', () => {
    for (const tool of shipped.filter(({ type }) => type === 'NR'))
      assert.ok(tool.blind_to?.includes('contrast change') || tool.name === 'entropy', tool.name);
  });
});
