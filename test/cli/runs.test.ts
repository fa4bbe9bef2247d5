import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runAssay, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { atTerminal, noTerminal } from '../support/terminal.ts';

/** A folder with a plan that writes a file, which needs consent. */
const folderWithPlan = async (t: Parameters<typeof temporaryDirectory>[0]): Promise<string> => {
  const cwd = await temporaryDirectory(t);
  const nodes = [
    { id: 'count', tool: 'text_stats', arguments: { text: 'one two' } },
    { id: 'say', tool: 'base64', arguments: { action: 'decode', text: 'aGVsbG8=' } },
    {
      id: 'save',
      tool: 'file_write',
      arguments: { path: 'a.txt', content: { $from: 'say.result' } },
      after: ['count'],
    },
  ];
  await writeFile(join(cwd, 'plan.json'), JSON.stringify({ nodes }));
  return cwd;
};

const idIn = (text: string): string => /run (\S+) running/.exec(text)?.[1] ?? '';

describe('X.28 a plan that needs consent in the CLI', () => {
  test('a waiting run tells how to approve it, and continues from there in another process', async (t) => {
    const cwd = await folderWithPlan(t);

    const left = await runAssay(['run', '--file', 'plan.json'], { cwd });
    const id = idIn(left.stdout);
    assert.equal(left.code, 1, left.stderr);
    assert.equal(
      left.stderr,
      `save (file_write) waits for consent; answer with one of\n  assay runs approve ${id} save\n  assay runs deny ${id} save\n`,
    );
    const asked = await runAssay(['confirmations', 'list'], { cwd });
    assert.match(asked.stdout, new RegExp(`${id}/save +pending .*"content":"hello"`));
    const approved = await runAssay(['runs', 'approve', id], { cwd });
    assert.equal(approved.code, 0, approved.stderr);
    assert.equal(await readFile(join(cwd, '.assay/files/a.txt'), 'utf8'), 'hello');
  });

  test('runs are listed, shown, denied, cancelled and approved on a server', async (t) => {
    const { run, stop } = await serveCli(await folderWithPlan(t));
    t.after(() => stop());
    const begun = async () => idIn((await run('run', '--file', 'plan.json')).stdout);
    const [denied, cancelled] = [await begun(), await begun()];

    assert.match((await run('runs', 'list', '--status', 'waiting')).stdout, /save waits for consent\n.*save waits/);
    assert.match((await run('confirmations', 'refuse', `${denied}/save`)).stdout, /is denied/);
    assert.match((await run('runs', 'watch', denied)).stdout, /save +file_write +denied/);
    assert.match((await run('runs', 'cancel', cancelled)).stdout, /cancelled/);
    assert.match((await run('runs', 'show', cancelled)).stdout, /save +file_write +aborted/);
    const late = await run('runs', 'approve', cancelled);
    assert.deepEqual(
      [late.code, /no node of run .* waits for consent; the run is cancelled/.test(late.stderr)],
      [2, true],
    );
    assert.equal((await run('run', '--file', 'plan.json', '--yes')).code, 0);
    const { runs } = JSON.parse((await run('runs', 'list', '--json')).stdout) as { runs: { status: string }[] };
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['ok', 'cancelled', 'failed'],
    );
  });

  test('a plan run from a terminal asks the person', { skip: noTerminal }, async (t) => {
    const cwd = await folderWithPlan(t);

    const shown = await atTerminal(cwd, 'run --file plan.json', 'y');

    assert.match(shown, /save \(file_write\) needs your consent to run with/);
    assert.match(shown, /"content": "hello"/);
    assert.match(shown, /run \S+ ok/);
    assert.ok(!shown.includes('"level"'), shown);
    assert.equal(await readFile(join(cwd, '.assay/files/a.txt'), 'utf8'), 'hello');
  });
});
