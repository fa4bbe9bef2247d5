import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { buildPlan } from '../../shared/plan/build.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import { layOut } from '../../shared/plan/picture/layers.ts';
import { fitText } from '../../shared/plan/picture/svg.ts';
import { toDot } from '../../shared/plan/to-dot.ts';
import { toSvg } from '../../shared/plan/to-svg.ts';
import { anyTool, randomDag, randomPlan } from '../bench/random-plans.ts';
import { assertGolden } from './golden.ts';

const { plan } = buildPlan(
  {
    name: 'A "small" <plan> & more',
    nodes: [
      { id: 'start', tool: 'fetch' },
      { id: 'left', tool: 'work', arguments: { of: { $from: 'start' } }, on_failure: { policy: 'retry' } },
      { id: '右', tool: 'work', arguments: { of: { $from: 'start' } }, on_failure: { policy: 'skip' } },
      { id: 'end', tool: 'ask_send', arguments: { of: { $from: 'left' } }, after: ['右'] },
    ],
  },
  anyTool,
);

describe('drawings of plans', () => {
  test('DOT has every node and edge, with order edges dashed', () => {
    assertGolden('small.dot', toDot(plan));
  });

  test('the SVG shows the DAG and its series-parallel form', () => {
    const { tree, ...predicted } = compilePlan(plan, { durations: { start: 100, left: 2500, 右: 40, end: 3 } });
    assertGolden('small.svg', toSvg(plan, tree, predicted));
  });

  test('an SVG of 60 nodes is well-formed, draws each node twice and each edge once', async () => {
    const large = randomPlan(8, 60);
    const svg = toSvg(large, compilePlan(large).tree);
    // The product itself reads no SVG, and tests share its process.
    sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
    const { width, height } = await sharp(Buffer.from(svg)).metadata();
    sharp.block({ operation: ['VipsForeignLoadSvg'] });

    assert.ok((width ?? 0) > 500 && (height ?? 0) > 500);
    for (const { id } of large.nodes) assert.equal(svg.split(`<title>${id}:`).length - 1, 2, id);
    assert.equal(
      svg.match(/class="edge (data|order)" marker-end/g)?.length,
      large.edges.length + arrows(compilePlan(large).tree),
    );
  });

  test('no two nodes of a layer overlap, and edges point to the right', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { spots, layers, routes } = layOut(randomDag(seed, 40).nodes);
      for (const layer of layers) {
        const rows = layer
          .flatMap((spot) => (spots[spot]?.id === undefined ? [] : [spots[spot].row]))
          .sort((a, b) => a - b);
        assert.ok(rows.slice(1).every((row, index) => row - (rows[index] ?? 0) > 0.99));
      }
      for (const route of routes) {
        const places = route.map((spot) => spots[spot]?.layer ?? 0);
        assert.deepEqual(
          places,
          places.map((_, index) => (places[0] ?? 0) + index),
        );
      }
    }
  });

  test('texts in an SVG are truncated to the width', () => {
    assert.equal(fitText('short', 10), 'short');
    assert.equal(fitText('much too long', 5), 'much…');
    assert.equal(fitText('天气预报', 6), '天气…');
  });
});

/** The arrows of the series-parallel form: between the parts of each series. */
function arrows(tree: ReturnType<typeof compilePlan>['tree']): number {
  if (tree.kind === 'node') return 0;
  const own = tree.kind === 'series' ? tree.children.length - 1 : 0;
  return tree.children.reduce((sum, child) => sum + arrows(child), own);
}
