import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import figures from '../../metadata/opinion.json' with { type: 'json' };
import { overallOf } from '../../shared/index.ts';
import { coverage, intervalBands } from '../../shared/iqa/calibration/conformal.ts';
import { crossValidate } from '../../shared/iqa/calibration/cross-validate.ts';
import { placeKnots } from '../../shared/iqa/calibration/fit-opinion-model.ts';
import { parseOpinions } from '../../shared/iqa/calibration/opinions.ts';
import { shippedCatalogue } from '../support/iqa.ts';

const knots: Readonly<Record<string, { readonly identical: number; readonly knots: readonly number[] }>> =
  figures.knots;
const identical = (tools: readonly string[]) => Object.fromEntries(tools.map((name) => [name, knots[name]?.identical]));

describe('the overall score', () => {
  test('X.13 the overall score of identical pictures is exactly 5 by every model, with an interval of width 0', () => {
    for (const { tools } of figures.models) {
      const overall = overallOf(identical(tools));

      assert.deepEqual(
        [overall?.score, overall?.low, overall?.high, overall?.word],
        [5, 5, 5, 'excellent'],
        tools.join(),
      );
    }
  });

  test('X.13 the overall score is monotone in every metric and stays within 1..5', () => {
    const model = fc.constantFrom(...figures.models);
    const share = fc.double({ min: -0.2, max: 1, noNaN: true });
    const between = (tool: string, at: number): number => {
      const own = knots[tool]?.knots ?? [];
      const [worst, best] = [own[0] ?? 0, own.at(-1) ?? 0];
      return worst + at * (best - worst);
    };
    fc.assert(
      fc.property(model, fc.array(fc.tuple(share, share), { minLength: 4, maxLength: 4 }), ({ tools }, pairs) => {
        const worse = Object.fromEntries(tools.map((tool, i) => [tool, between(tool, Math.min(...(pairs[i] ?? [0])))]));
        const better = Object.fromEntries(
          tools.map((tool, i) => [tool, between(tool, Math.max(...(pairs[i] ?? [0])))]),
        );

        const [low, high] = [overallOf(worse), overallOf(better)];

        assert.ok(low && high && low.score <= high.score + 1e-9);
        for (const each of [low, high]) {
          assert.ok(each && each.low <= each.score && each.score <= each.high);
          assert.ok(each.low >= 1 && each.high <= 5);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the overall score uses the most accurate model for the given metrics, and ignores the others', () => {
    const all = { ...identical(Object.keys(knots)), niqe: 4, nonsense: 2 };

    assert.deepEqual(overallOf(all)?.tools, ['haarpsi', 'mdsi', 'psnr', 'vif', 'vsi']);
    assert.deepEqual(overallOf({ vsi: 0.99, mdsi: 0.2, haarpsi: 0.9 })?.tools, ['haarpsi', 'mdsi', 'vsi']);
    assert.deepEqual(overallOf({ psnr: 30, niqe: 4 })?.tools, ['psnr']);
    assert.ok((overallOf({ psnr: 30, ssim: 0.9, ms_ssim: 0.97 })?.tools.length ?? 0) === 2);
  });

  test('the overall score is undefined without a full-reference metric, and for values that are not numbers', () => {
    for (const raw of [{}, { niqe: 3, brisque: 20 }, { ssim: Number.NaN }, { ssim: undefined }, { dists: 0.1 }])
      assert.equal(overallOf(raw), undefined);
  });

  test('every shipped full-reference metric has a model for the overall score', () => {
    for (const { name, type, graph } of shippedCatalogue().tools)
      if (graph !== undefined && type === 'FR') assert.ok(overallOf(identical([name])), name);
  });
});

/** Opinions that follow two metrics with some noise, the same in every run. */
const invented = (): string => {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const lines = Array.from({ length: 600 }, (_, i) => {
    const quality = random();
    const a = quality + 0.05 * (random() - 0.5);
    const b = 1 - quality + 0.05 * (random() - 0.5);
    const mos = Math.min(7.2, Math.max(0.3, 6 * quality + 0.6 * (random() - 0.5)));
    return [`p${i}`, `r${i % 10}`, 1 + (i % 24), 1 + (i % 5), mos, 0.1, a, b].join(',');
  });
  return ['image,reference,distortion,level,mos,mos_std,a,b', ...lines].join('\r\n');
};

describe('fitting the overall score to human ratings', () => {
  const rows = parseOpinions(invented());
  const tools = [
    { name: 'a', identical: 1.1 },
    { name: 'b', identical: -0.1, lower_better: true },
  ];
  const placed = placeKnots(rows, tools);

  test('the fit predicts left-out references, and better from both metrics than from one', () => {
    const both = crossValidate(rows, ['a', 'b'], placed).model;
    const one = crossValidate(rows, ['a'], placed).model;

    assert.ok(both.rmse < 0.2 && both.srcc > 0.97, JSON.stringify([both.rmse, both.srcc]));
    assert.ok(both.rmse <= one.rmse);
  });

  test('X.13 intervals contain 90 % of ratings, also for a left-out reference', () => {
    const { heldOut } = crossValidate(rows, ['a', 'b'], placed);
    const left = (name: string) => heldOut.filter(({ reference }) => (reference === 'r3') === (name === 'r3'));

    const within = coverage(left('r3'), intervalBands(left('others')));

    assert.ok(within > 0.8 && within <= 1, String(within));
    const all = coverage(heldOut, intervalBands(heldOut));
    assert.ok(all > 0.9 && all < 0.96, String(all));
  });

  test('X.13 above the best rated pictures an interval keeps its lower end, and never exceeds 5', () => {
    const { heldOut } = crossValidate(rows, ['a', 'b'], placed);
    const bands = intervalBands(heldOut);
    const [score = 0, below = 0] = bands.at(-2) ?? [];
    const [end = 0, belowEnd = 0, aboveEnd = 1] = bands.at(-1) ?? [];

    assert.ok(Math.abs(end - belowEnd - (score - below)) < 1e-3);
    assert.deepEqual([end, aboveEnd], [5, 0]);
    const nearly = overallOf({ vsi: 0.9999, mdsi: 0.02, haarpsi: 0.999 });
    assert.ok(nearly && nearly.score > 4.4 && nearly.low < 4, JSON.stringify(nearly));
  });

  test('a ratings table without a column or a number is refused with the position', () => {
    assert.throws(() => parseOpinions('image,reference\n'), {
      message: /lacks the columns distortion, level, mos, mos_std/,
    });
    assert.throws(() => parseOpinions('image,reference,distortion,level,mos,mos_std,a\np,r,1,1,x,0,1'), {
      message: /line 2 .* no number for mos/,
    });
  });
});
