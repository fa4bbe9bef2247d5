import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as packaged from '../functions/library/index.ts';
import * as assay from '../shared/index.ts';
import { aTool } from './support/tools.ts';

describe('the library', () => {
  test('the library exports what embedding needs', () => {
    const expected = [
      'createRegistry',
      'convert',
      'parseCalls',
      'formatResults',
      'normaliseScore',
      'toolsForDistortion',
      'toolsByType',
      'isToolAvailable',
      'executeTool',
      'compilePlan',
      'toAsl',
      'decide',
    ];

    assert.deepEqual(
      expected.filter((name) => typeof (assay as Record<string, unknown>)[name] !== 'function'),
      [],
    );
  });

  test('X.13 the package exports the whole pure core, including overallOf', () => {
    assert.deepEqual(
      Object.keys(assay).filter((name) => !(name in packaged)),
      [],
    );
    assert.equal(packaged.overallOf({ vsi: 1, mdsi: 0, haarpsi: 1 })?.score, 5);
  });

  test('R3.06 R3.07 the library returns all tools, their OpenRouter definitions and their combined instructions', () => {
    const registry = assay.createRegistry();
    registry.register(aTool({ name: 'b', instructions: 'Use b for b.' }));
    registry.register(aTool({ name: 'a', instructions: 'Use a for a.' }));

    assert.deepEqual(
      registry.tools().map(({ name }) => name),
      ['a', 'b'],
    );
    const definitions = registry.definitions() as readonly { type: string; function: { name: string } }[];
    assert.deepEqual(
      definitions.map((each) => [each.type, each.function.name]),
      [
        ['function', 'a'],
        ['function', 'b'],
      ],
    );
    assert.equal(registry.promptInstructions(), 'Use a for a.\n\nUse b for b.');
  });

  test('the library decides and compiles plans without a server', async () => {
    const registry = assay.createRegistry();
    registry.register(aTool());
    const index = assay.createSearchIndex();
    for (const tool of registry.tools()) index.set(tool);

    const decision = await assay.decide(
      { task: 'what is the weather of the city Bern?' },
      { index, tool: (name) => registry.get(name)?.spec },
    );
    assert.equal(decision.tool, 'weather_lookup');
    const { tree } = assay.compilePlan({
      nodes: [
        { id: 'a', after: [] },
        { id: 'b', after: ['a'] },
      ],
    });
    assert.deepEqual(tree, {
      kind: 'series',
      children: [
        { kind: 'node', id: 'a' },
        { kind: 'node', id: 'b' },
      ],
    });
  });
});
