import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import type { PlanTree } from '../../shared/model/plan.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import { computeMakespan, nodesOf } from '../../shared/plan/tree.ts';
import { randomDag } from '../bench/random-plans.ts';
import { tries } from '../support/sampling.ts';
import { type Listed, precedences, renamed } from './support.ts';

const plan = (edges: Readonly<Record<string, string>>): { nodes: Listed[] } => ({
  nodes: Object.entries(edges).map(([id, after]) => ({ id, after: [...after] })),
});

const text = (tree: PlanTree): string =>
  tree.kind === 'node'
    ? tree.id
    : `${tree.kind === 'series' ? '(' : '['}${tree.children.map(text).join(' ')}${tree.kind === 'series' ? ')' : ']'}`;

describe('compilePlan', () => {
  test('R1.11 compilePlan puts independent nodes in parallel and dependants after them', () => {
    const { tree, critical_path_ms, makespan_ms, ratio } = compilePlan(plan({ a: '', b: 'a', c: 'a', d: 'bc' }), {
      durations: { a: 1, b: 5, c: 3, d: 2 },
    });

    assert.equal(text(tree), '(a [c b] d)');
    assert.deepEqual({ critical_path_ms, makespan_ms, ratio }, { critical_path_ms: 8, makespan_ms: 8, ratio: 1 });
  });

  test('a plan of one node compiles to a tree of one node', () => {
    assert.deepEqual(compilePlan({ nodes: [{ id: 'only' }] }), {
      tree: { kind: 'node', id: 'only' },
      critical_path_ms: 1,
      makespan_ms: 1,
      ratio: 1,
    });
  });

  test('two chains run independently instead of waiting for each other at every level', () => {
    const { tree } = compilePlan(plan({ a: '', b: 'a', c: '', d: 'c' }), { durations: { a: 1, b: 9, c: 9, d: 1 } });

    assert.equal(
      computeMakespan(tree, (id) => ({ a: 1, b: 9, c: 9, d: 1 })[id] ?? 0),
      10,
    );
    assert.equal(tree.kind, 'parallel');
  });

  test('compilePlan breaks an N-shaped dependency where it costs least', () => {
    const durations = { a: 300, b: 100, c: 100, d: 300 };
    const { tree, critical_path_ms, makespan_ms } = compilePlan(plan({ a: '', b: '', c: 'ab', d: 'b' }), { durations });

    assert.equal(critical_path_ms, 400);
    assert.equal(makespan_ms, 500);
    assert.equal(text(tree), '(b [(a c) d])');
  });

  test('compilePlan keeps every dependency and every node once, for any DAG', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 45 }), (seed, size) => {
        const dag = randomDag(seed, size);
        const compiled = compilePlan(dag, { durations: dag.durations });

        const pairs = precedences(compiled.tree);
        for (const node of dag.nodes) for (const one of node.after) assert.ok(pairs.has(`${one} ${node.id}`));
        assert.deepEqual([...nodesOf(compiled.tree)].sort(), dag.nodes.map((node) => node.id).sort());
        assert.ok(compiled.ratio >= 1 - 1e-9);
      }),
      { numRuns: tries(15, 60) },
    );
  });

  test('a series-parallel plan compiles without extra waiting', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
        const random = seededRandom(seed);
        const nodes = seriesParallel(random);
        const durations = Object.fromEntries(nodes.map((node) => [node.id, 1 + 9 * random()]));
        const { ratio, tree } = compilePlan({ nodes }, { durations });

        assert.ok(Math.abs(ratio - 1) < 1e-9, `ratio ${ratio}`);
        assert.equal(precedences(tree).size, ancestors(nodes));
      }),
      { numRuns: tries(15, 60) },
    );
  });

  test('small plans compile close to the best series-parallel form', () => {
    const losses = Array.from({ length: 60 }, (_, seed) => {
      const dag = randomDag(seed, 5 + (seed % 4));
      const { makespan_ms } = compilePlan(dag, { durations: dag.durations });
      return makespan_ms / optimum(dag.nodes, dag.durations);
    });

    assert.ok(losses.every((loss) => loss >= 1 - 1e-9));
    assert.ok(losses.reduce((sum, loss) => sum + loss, 0) / losses.length < 1.01, `${losses}`);
  });

  test('equal shapes give equal trees whatever the names and order of nodes', () => {
    for (let seed = 0; seed < 25; seed++) {
      const dag = randomDag(seed, 6 + seed);
      const one = compilePlan(dag);
      const other = compilePlan({ nodes: renamed(dag.nodes, seededRandom(seed)) });

      assert.equal(text(one.tree).replaceAll(/\w+/g, '.'), text(other.tree).replaceAll(/\w+/g, '.'));
    }
  });

  test('a plan of 200 nodes compiles', () => {
    const dag = randomDag(4, 200);
    const { tree } = compilePlan(dag, { durations: dag.durations });

    assert.equal(nodesOf(tree).length, 200);
  });

  test('the compiler refuses a cycle and names its path', () => {
    const edges = { a: 'd', b: 'a', c: 'b', d: 'c', e: 'a' };
    assert.throws(() => compilePlan(plan(edges)), {
      code: 'InvalidInput',
      message: 'the plan has a cycle: a -> b -> c -> d -> a; remove one of these dependencies',
    });
  });

  const refusals: readonly (readonly [string, { nodes: { id: string; after?: string[] }[] }, RegExp])[] = [
    ['no node at all', { nodes: [] }, /at least one node/],
    ['a node after itself', { nodes: [{ id: 'a', after: ['a'] }] }, /cycle: a -> a/],
    ['an unknown dependency', { nodes: [{ id: 'a', after: ['b'] }] }, /a comes after b, which is not in the plan/],
    ['a repeated id', { nodes: [{ id: 'a' }, { id: 'a' }] }, /two nodes are called a/],
    ['201 nodes', { nodes: Array.from({ length: 201 }, (_, n) => ({ id: `n${n}` })) }, /201 nodes, at most 200/],
  ];
  for (const [what, input, message] of refusals) {
    test(`the compiler refuses ${what}`, () => {
      assert.throws(() => compilePlan(input), { code: 'InvalidInput', message });
    });
  }

  test('compilePlan refuses an invalid duration', () => {
    assert.throws(() => compilePlan(plan({ a: '' }), { durations: { a: -1 } }), /duration of node a is -1/);
  });
});

/** A random series-parallel order of up to 40 nodes as a DAG. */
function seriesParallel(random: () => number): Listed[] {
  const nodes: { id: string; after: string[] }[] = [];
  const grow = (depth: number, after: readonly string[]): string[] => {
    if (depth === 0 || random() < 0.2) {
      nodes.push({ id: `s${nodes.length}`, after: [...after] });
      return [`s${nodes.length - 1}`];
    }
    const parts = 2 + Math.floor(random() * 2);
    if (depth % 2 === 0) return Array.from({ length: parts }, () => grow(depth - 1, after)).flat();
    let last: readonly string[] = after;
    for (let part = 0; part < parts; part++) last = grow(depth - 1, last);
    return [...last];
  };
  grow(4, []);
  return nodes;
}

function ancestors(nodes: readonly Listed[]): number {
  const above = new Map<string, Set<string>>();
  for (const node of nodes) {
    above.set(node.id, new Set(node.after.flatMap((id) => [id, ...(above.get(id) ?? [])])));
  }
  return [...above.values()].reduce((sum, set) => sum + set.size, 0);
}

/** The best makespan of all series-parallel forms, by trying every dependency-closed cut of every subset. */
function optimum(nodes: readonly Listed[], durations: Readonly<Record<string, number>>): number {
  const index = new Map(nodes.map((node, place) => [node.id, place]));
  const before = nodes.map((node) => node.after.reduce((mask, id) => mask | (1 << (index.get(id) ?? 0)), 0));
  const known = new Map<number, number>();
  const best = (mask: number): number => {
    const found = known.get(mask);
    if (found !== undefined) return found;
    const members = nodes.map((_, place) => place).filter((place) => (mask >> place) & 1);
    let value = members.length === 1 ? (durations[nodes[members[0] ?? 0]?.id ?? ''] ?? 0) : Number.POSITIVE_INFINITY;
    for (let part = (mask - 1) & mask; part > 0; part = (part - 1) & mask) {
      const rest = mask & ~part;
      const crosses = (from: number, to: number): boolean =>
        members.some((place) => (to >> place) & 1 && (before[place] ?? 0) & from);
      if (crosses(rest, part)) continue;
      const [one, two] = [best(part), best(rest)];
      value = Math.min(value, crosses(part, rest) ? one + two : Math.max(one, two));
    }
    known.set(mask, value);
    return value;
  };
  return best((1 << nodes.length) - 1);
}
