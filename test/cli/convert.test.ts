import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runAssay, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

describe('assay convert', () => {
  test('R2.09 convert prints exactly the provider’s tools value, and its cost to people', async (t) => {
    const { run, stop, cwd } = await serveCli(await temporaryDirectory(t));
    t.after(() => stop());
    const parameters = { type: 'object', properties: { n: { not: { type: 'string' } } } };
    await writeFile(
      join(cwd, 'tools.json'),
      JSON.stringify([aTool({ name: 'mine', parameters }), aTool({ name: 'other' })]),
    );
    assert.equal((await run('tools', 'register', 'tools.json')).code, 0);

    const converted = await run('convert', '--provider', 'gemini', '--allowed', 'mine');
    const explained = await run('convert', '--provider', 'gemini', '--allowed', 'mine', '--explain', '--json');

    assert.equal(converted.code, 0, converted.stderr);
    const [value] = JSON.parse(converted.stdout) as { functionDeclarations: { name: string }[] }[];
    assert.deepEqual(
      value?.functionDeclarations.map(({ name }) => name),
      ['mine'],
    );
    assert.match(converted.stderr, /about \d+ tokens; [1-9]\d* warnings \(--explain\)/);
    const { tools, warnings } = JSON.parse(explained.stdout) as { tools: unknown; warnings: unknown[] };
    assert.deepEqual(tools, [value]);
    assert.ok(warnings.length > 0);
  });

  test('R2.11 convert refuses an unknown provider, and a call without one', async (t) => {
    const cwd = await temporaryDirectory(t);

    const unknown = await runAssay(['convert', '--provider', 'clippy'], { cwd });
    const missing = await runAssay(['convert'], { cwd });

    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /"clippy" is not supported/);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /--provider is missing/);
  });
});
