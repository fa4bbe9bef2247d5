import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { calibrate } from '../../shared/iqa/calibrate.ts';
import { fitLogistic } from '../../shared/iqa/fit-logistic.ts';
import { LADDER } from '../../shared/iqa/ladder.ts';
import { normaliseScore } from '../../shared/iqa/normalise.ts';
import { following, type Observation, rankCorrelation, strengthsOf } from '../../shared/iqa/observe.ts';
import { Distortion } from '../../shared/model/iqa.ts';
import { shippedCatalogue } from '../support/iqa.ts';

const photographs = ['a', 'b', 'c'];
const observe = (tool: string, kind: string, rawAt: (level: number, photograph: number) => number): Observation[] =>
  photographs.flatMap((photograph, i) =>
    [1, 2, 3, 4, 5].map((level) => ({ tool, photograph, kind, level, raw: rawAt(level, i) })),
  );
const pristine = (tool: string, raw: number): Observation[] =>
  photographs.map((photograph) => ({ tool, photograph, kind: 'none', level: 0, raw }));

describe('calibration', () => {
  test('finds the parameters that made the points', () => {
    const made = { name: 'x', logistic_params: { beta1: 5, beta2: 1, beta3: 30, beta4: 6 } };
    const points = Array.from({ length: 40 }, (_, i) => ({ x: i * 1.5, y: normaliseScore(made, i * 1.5).normalized }));

    const { beta3, beta4 } = fitLogistic(points, false);

    assert.ok(Math.abs(beta3 - 30) < 0.05 && Math.abs(beta4 - 6) < 0.05);
  });

  test('an undistorted picture reaches the floor whatever the points say, in either direction', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(
          fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.double({ min: 1, max: 5, noNaN: true }) }),
          {
            minLength: 3,
          },
        ),
        (lower_better, points) => {
          const best = lower_better ? -0.01 : 1.01;
          const logistic_params = fitLogistic(points, lower_better, best, 4.8);

          assert.ok(normaliseScore({ name: 'x', lower_better, logistic_params }, best).normalized >= 4.8);
        },
      ),
      {
        numRuns: 50,
        examples: [
          [
            false,
            [
              { x: 0, y: 1 },
              { x: 0.7448629629629628, y: 1 },
              { x: 0, y: 1 },
            ],
          ],
        ],
      },
    );
  });

  test('tools with other scales come to agree on [1, 5]', () => {
    const tools = [
      { name: 'up', type: 'FR' as const },
      { name: 'down', type: 'FR' as const, lower_better: true },
    ];
    const observations = [
      ...pristine('up', 1),
      ...pristine('down', 0),
      ...observe('up', 'blur', (level) => 1 - level / 10),
      ...observe('down', 'blur', (level) => level * 7),
    ];

    const [up, down] = calibrate(observations, tools);

    for (let level = 0; level <= 5; level++) {
      const one = normaliseScore({ name: 'up', logistic_params: up?.params }, 1 - level / 10).normalized;
      const other = normaliseScore({ name: 'down', lower_better: true, logistic_params: down?.params }, level * 7);
      assert.ok(Math.abs(one - other.normalized) < 0.2, `level ${level}: ${one}, ${other.normalized}`);
    }
    assert.ok((up?.leftOut.rms ?? 9) < 0.5);
    assert.equal(up?.leftOut.count, 18);
  });

  test('a tool that does not follow a kind of distortion is not fitted on it', () => {
    const tools = [{ name: 'x', type: 'FR' as const }];
    const seen = [...pristine('x', 1), ...observe('x', 'blur', (level) => 1 - level / 10)];
    const blind = observe('x', 'tint', (_, photograph) => 1 + photograph);

    assert.deepEqual(calibrate([...seen, ...blind], tools)[0]?.params, calibrate(seen, tools)[0]?.params);
  });

  test('following is 1 when quality always falls, -1 when it always rises', () => {
    const tool = { name: 'x', type: 'NR' as const, lower_better: true };
    const rising = [...pristine('x', 0), ...observe('x', 'noise', (level) => level)];
    const falling = [...pristine('x', 0), ...observe('x', 'noise', (level) => -level)];

    assert.ok(Math.abs(following(rising, tool, 'noise') - 1) < 1e-12);
    assert.ok(Math.abs(following(falling, tool, 'noise') + 1) < 1e-12);
    assert.equal(rankCorrelation([1, 2, 3], [4, 4, 4]), 0);
  });

  test('a category is claimed by tools that order it well, or nearly as well as the best of their type', () => {
    const tools = ['good', 'fair', 'blind'].map((name) => ({ name, type: 'NR' as const }));
    const observations = tools.flatMap(({ name }) => [
      ...pristine(name, 1),
      ...observe(name, 'blur', (level, photograph) =>
        name === 'good' ? -level : name === 'fair' ? -level - 20 * photograph : photograph,
      ),
    ]);

    const claims = strengthsOf(observations, tools, new Map([['Blurs', ['blur']]]));

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

  test('the ladder has every distortion category in five rising steps', () => {
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

  test('every shipped tool is calibrated, and equal pictures score at least 4.8 by the full-reference ones', () => {
    const equal: Readonly<Record<string, number>> = { psnr: 80, psnry: 80, gmsd: 0, nlpd: 0, mdsi: 0 };
    for (const tool of shipped) {
      assert.ok(tool.logistic_params, tool.name);
      if (tool.type === 'FR') assert.ok(normaliseScore(tool, equal[tool.name] ?? 1).normalized >= 4.8, tool.name);
    }
  });
});
