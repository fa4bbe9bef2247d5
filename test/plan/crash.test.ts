import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunView } from '../../shared/model/run.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const start = (directory: string, action: string): ChildProcess =>
  fork(new URL('./crash-child.ts', import.meta.url), [directory, action], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

test('after kill -9 a run continues from its records, without repeating finished nodes', {
  timeout: 60_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const first = start(directory, 'start');
  await said(first);
  first.kill('SIGKILL');
  await once(first, 'exit');

  const second = start(directory, 'resume');
  const view = (await said(second)) as RunView;

  assert.equal(view.status, 'ok');
  assert.deepEqual(readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n'), [
    'n1',
    'n2',
    'n3',
    'n3',
    'n4',
    'n5',
  ]);
  assert.deepEqual(
    view.nodes[2]?.attempts.map(({ status }) => status),
    ['interrupted', 'ok'],
  );
  assert.deepEqual(view.output, { n5: 'out of n5' });
});

/** What the process says first; it must not end without a word. */
async function said(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`ended with ${code} before it said anything`);
  });
  ended.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
