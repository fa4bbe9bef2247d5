import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildRequest } from '../../shared/providers/request.ts';
import type { Fragment } from '../../shared/providers/types.ts';
import { createDefinitions } from '../../shared/registry/lookup/definitions.ts';
import { readDefinitionsQuery } from '../../shared/registry/lookup/definitions-query.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const noAnswers = { get: () => undefined, set: () => {} };

/** Asks twice for two large tools; tells how many of them were converted once. */
const convertedOnce = async (fragmentCharacters: number): Promise<number> => {
  const { assay, json } = await testAssay();
  const names = ['first', 'second'];
  for (const name of names)
    assert.equal((await json('POST', '/v1/tools', aTool({ name, description: 'x'.repeat(3000) }))).status, 201);
  const { catalog } = await assay.catalogs.of('default');
  const rounds: Fragment[][] = [];
  const { tools } = createDefinitions({
    answers: noAnswers,
    fragmentCharacters,
    build(provider, given, options, define) {
      rounds.push(given.map((tool) => define(tool, options)));
      return buildRequest(provider, given, options, define);
    },
  });
  for (let round = 0; round < 2; round++)
    tools({ catalog }, 'openai', readDefinitionsQuery({ allowed: names.join(',') }));
  const [before, after] = rounds;
  return (after ?? []).filter((fragment, at) => fragment === before?.[at]).length;
};

describe('cached definitions in a provider’s format', () => {
  test('X.07 cached definitions are limited by their total characters', async () => {
    assert.deepEqual([await convertedOnce(1_000_000), await convertedOnce(4000)], [2, 0]);
  });

  test('cached definitions are current: a change of the tools replaces the cached answer', async () => {
    const { assay, json } = await testAssay();
    const answers = new Map();
    const { tools, prompt } = createDefinitions({ answers, build: buildRequest });
    const described: unknown[] = [];
    for (const description of ['First', 'Second', 'Third']) {
      const version = `${described.length + 1}.0.0`;
      assert.equal((await json('POST', '/v1/tools', aTool({ name: 'one', version, description }))).status, 201);
      const { catalog } = await assay.catalogs.of('default');
      const query = readDefinitionsQuery({ allowed: 'one' });
      const { body } = tools({ catalog }, 'anthropic', query);
      assert.equal(tools({ catalog }, 'anthropic', query).body, body);
      prompt({ catalog }, query.selection);
      described.push(JSON.parse(body)[0].description);
    }

    assert.deepEqual(described, ['First', 'Second', 'Third']);
    assert.equal(answers.size, 2);
  });
});
