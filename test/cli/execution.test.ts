import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../shared/model/call.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { runAssay, type ServedCli, serveCli } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { atTerminal, noTerminal } from '../support/terminal.ts';
import { aTool } from '../support/tools.ts';

const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));

describe('assay invoke', () => {
  let server: ServedCli;
  const stopping: (() => Promise<unknown>)[] = [];
  before(async () => {
    server = await serveCli(await temporaryDirectory({ after: (clean) => void stopping.push(clean) }));
  });
  after(async () => {
    await server.stop();
    for (const clean of stopping) await clean();
  });

  test('invoke runs a builtin, and text parameters are taken as typed', async (t) => {
    const { run } = server;

    const here = { cwd: await temporaryDirectory(t) };
    const hash = await runAssay(['invoke', 'hash', 'text=123', '--json'], here);
    const query = await run('invoke', 'json_query', 'data={"a":[1,2]}', 'expression=$sum(a)');
    const wrong = await run('invoke', 'hash', 'text');
    const priced = ['invoke', 'text_stats', 'text=hello', '--json'];
    const quote = await run(...priced, '--dry-run');
    const refused = await run(...priced, '--max-micros', '9');

    const outcome = JSON.parse(hash.stdout) as Outcome;
    assert.equal((outcome.output as { digest: string }).digest.slice(0, 8), 'a665a459');
    assert.match(query.stdout, /"result": 3/);
    assert.equal(wrong.code, 2);
    assert.equal((JSON.parse(quote.stdout) as { price_micros: number }).price_micros, 10);
    assert.match(refused.stdout + refused.stderr, /PaymentRequired/);
  });

  test('R1.22 invoke asks nobody without a terminal, accepts --yes as consent, and leaves records', async () => {
    const { run, cwd } = server;
    const write = ['invoke', 'file_write', 'path=a.txt', 'content=hello'];

    const refused = await run(...write);
    const agreed = await run(...write, '--yes');
    const deleted = await run('invoke', 'file_delete', 'path=a.txt', '--yes');
    const listed = await run('executions', '--json', '--limit', '4');

    assert.deepEqual([refused.code, agreed.code, deleted.code], [1, 0, 1]);
    assert.match(refused.stderr, /ConfirmationRequired/);
    assert.match(deleted.stderr, /Forbidden: file_delete is a dangerous tool/);
    assert.equal(await readFile(join(cwd, '.assay/files/a.txt'), 'utf8'), 'hello');
    const { executions } = JSON.parse(listed.stdout) as { executions: CallRecord[] };
    assert.deepEqual(
      executions.map(({ status }) => status),
      ['refused', 'ok', 'refused', 'refused'],
    );
  });

  test('R1.22 repeating an invoke command succeeds once after its confirmation was approved', async () => {
    const { run, cwd } = server;
    const write = ['invoke', 'file_write', 'path=approved.txt', 'content=hello'];

    const { stderr } = await run(...write);
    const id = /assay confirmations approve (\w+)/.exec(stderr)?.[1] ?? '';
    const approved = await run('confirmations', 'approve', id);
    const [passed, again] = [await run(...write), await run(...write)];

    assert.deepEqual([approved.code, passed.code, again.code], [0, 0, 1]);
    assert.match(stderr, /http:\/\/127\.0\.0\.1:\d+\/#\/activity\/waiting/);
    assert.equal(await readFile(join(cwd, '.assay/files/approved.txt'), 'utf8'), 'hello');
  });

  test('R1.23 assay grants lets one key run a dangerous tool until the grant expires', async () => {
    const { run, cwd, key } = server;
    await run('invoke', 'file_write', 'path=granted.txt', 'content=x', '--yes');
    const [, id = ''] = key.split('_');
    const expires = new Date(Date.now() + 3_600_000).toISOString();

    const granted = await run('grants', 'add', id, 'file_delete', '--expires', expires);
    const deleted = await run('invoke', 'file_delete', 'path=granted.txt');
    const without = await run('grants', 'add', id, 'file_delete');

    assert.deepEqual([granted.code, deleted.code, without.code], [0, 0, 2]);
    await assert.rejects(access(join(cwd, '.assay/files/granted.txt')));
  });

  test('R1.22 invoke asks the person at a terminal and obeys the answer', { skip: noTerminal }, async (t) => {
    const cwd = await temporaryDirectory(t);
    for (const [answer, file] of [
      ['n', 'no.txt'],
      ['y', 'yes.txt'],
    ] as const) {
      const shown = await atTerminal(cwd, `invoke file_write path=${file} content=hello`, answer);
      assert.match(shown, /file_write needs your consent to run with/);
      assert.ok(!shown.includes('"level"'), shown);
    }

    await assert.rejects(access(join(cwd, '.assay/files/no.txt')));
    assert.equal(await readFile(join(cwd, '.assay/files/yes.txt'), 'utf8'), 'hello');
  });
});

test('R4.09f assay events --follow shows events of other processes until it is interrupted', async (t) => {
  const cwd = await temporaryDirectory(t);
  await writeFile(join(cwd, 'tool.json'), JSON.stringify(aTool({ version: '1.0.0' })));
  await runAssay(['tools', 'register', 'tool.json'], { cwd });
  const follower = spawn(process.execPath, [entry, 'events', '--follow', '--after', '0', '--json'], { cwd });
  let text = '';
  follower.stdout.on('data', (part) => {
    text += String(part);
  });
  const lines = async (count: number): Promise<readonly string[]> => {
    while (text.split('\n').length <= count) await once(follower.stdout, 'data');
    return text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
  };

  assert.deepEqual(await lines(1), ['tool-registered']);
  await runAssay(['tools', 'disable', 'weather_lookup'], { cwd });
  assert.deepEqual(await lines(2), ['tool-registered', 'tool-disabled']);
  follower.kill('SIGINT');
  assert.deepEqual(await once(follower, 'close'), [0, null]);
  const listed = await runAssay(['events'], { cwd });
  assert.match(listed.stdout, /1 {2}\S+ {2}tool-registered {3}weather_lookup 1\.0\.0\n.*tool-disabled/);
});
