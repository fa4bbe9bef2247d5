import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './temporary-directory.ts';

const runner = fileURLToPath(new URL('../run.ts', import.meta.url));
const head = "import { describe, test } from 'node:test';\n";

/** Runs test files with these contents as `npm test` does. */
const runAll = async (t: Parameters<typeof temporaryDirectory>[0], ...texts: readonly string[]) => {
  const folder = await temporaryDirectory(t);
  const files = texts.map((_, index) => join(folder, `${index}.test.mjs`));
  await Promise.all(texts.map((content, index) => writeFile(files[index] ?? '', `${head}${content}`)));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [runner, ...files], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { output, code };
};

describe('npm test', () => {
  test('npm test passes when every test of every process does, and prints how many', async (t) => {
    const { output, code } = await runAll(
      t,
      "test('a', () => {}); test('b', { skip: true }, () => {});",
      "test('c', () => {});",
    );

    assert.equal(code, 0, output);
    assert.match(output, /^3 tests: 2 passed, 0 failed, 1 skipped, in /m);
  });

  test('npm test fails when one test does, and prints its suite, name and error at the end', async (t) => {
    const bad = "describe('a suite', () => { test('a fact', () => { throw new Error('it is not so'); }); });";

    const { output, code } = await runAll(t, bad, "test('c', () => {});");

    assert.equal(code, 1);
    const [, end = ''] = output.split('failing tests:\n\n').slice(-2);
    assert.match(end, /^✖ a suite > a fact\n.*0\.test\.mjs\n +Error: it is not so/m);
    assert.match(end, /^2 tests: 1 passed, 1 failed, 0 skipped/m);
  });

  test('npm test fails when a process exits before its tests end', async (t) => {
    const { output, code } = await runAll(t, "test('ends', () => process.exit(0));");

    assert.equal(code, 1);
    assert.match(output, /0\.test\.mjs\n +the process ended with 0 before its tests did/);
  });

  test('npm test reruns failed files alone, and reports tests that passed only then', async (t) => {
    const first = `
      import { existsSync, writeFileSync } from 'node:fs';
      const mark = new URL('mark', import.meta.url);
      test('a fact', () => { if (!existsSync(mark)) { writeFileSync(mark, ''); throw new Error('too busy'); } });`;

    const { output, code } = await runAll(t, first);

    assert.equal(code, 0, output);
    assert.match(output, /passed only when run again by itself:\n\n✖ a fact\n.*0\.test\.mjs\n +Error: too busy/);
    assert.match(output, /^1 tests: 1 passed, 0 failed, 0 skipped/m);
  });

  test('npm test fails when a file cannot be loaded', async (t) => {
    const { output, code } = await runAll(t, "import './is-not-there.mjs';");

    assert.equal(code, 1);
    assert.match(output, /Cannot find module .*is-not-there\.mjs/);
  });
});
