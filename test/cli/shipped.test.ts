import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtins } from '../../shared/execute/builtins/index.ts';
import { FIT_DEFINITION } from '../../shared/iqa/fit-tool.ts';
import { toDefinitions } from '../../shared/iqa/to-definitions.ts';
import type { Registration } from '../../shared/model/registration.ts';
import { parseDefinition } from '../../shared/registry/parse-definition.ts';
import { shippedCatalogue } from '../support/iqa.ts';
import { runAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('shipped tools', () => {
  test('R1.01 schemas of shipped tools compile, which starting relies on', async (t) => {
    const { stdout } = await runAssay(['tools', 'list', '--json'], { cwd: await temporaryDirectory(t) });
    const listed = (JSON.parse(stdout) as { tools: readonly Registration[] }).tools.map(({ spec }) => spec);

    assert.ok(listed.length >= 30);
    for (const definition of [
      ...listed,
      ...toDefinitions(shippedCatalogue().tools),
      FIT_DEFINITION,
      ...builtins.map((each) => each.definition),
    ])
      assert.doesNotThrow(() => parseDefinition(definition), definition.name);
  });
});
