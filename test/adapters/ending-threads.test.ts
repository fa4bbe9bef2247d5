import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isWhole } from '../support/sampling.ts';

const child = fileURLToPath(new URL('../support/ending-child.ts', import.meta.url));

const endBy = async (how: string) => {
  const ending = spawn(process.execPath, ['--no-warnings', child, how], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code, signal]] = await Promise.all([text(ending.stderr), once(ending, 'close')]);
  return { said, code, signal };
};

describe('the end of a process whose workers are inside native code', () => {
  const endings = [
    { how: 'process.exit', code: 0, says: /^$/ },
    { how: 'an exception', code: 1, says: /an exception of the test/ },
    { how: 'close', code: 0, says: /^$/ },
  ];
  for (const { how, code, says } of isWhole ? endings : endings.slice(0, 1))
    test(`${how} ends it with its own exit code, not by SIGABRT`, async () => {
      const ended = await endBy(how);

      assert.deepEqual({ code: ended.code, signal: ended.signal }, { code, signal: null }, ended.said);
      assert.match(ended.said, says);
    });

  test('native code that never returns holds up the end of its process no longer than it does closing', async () => {
    const { said, signal } = await endBy('endless');

    assert.equal(signal, 'SIGKILL');
    assert.match(said, /an image or model computation does not end; its process is killed/);
  });
});
