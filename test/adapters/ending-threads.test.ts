import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('../support/ending-child.ts', import.meta.url));

const endBy = async (how: string) => {
  const ending = spawn(process.execPath, ['--no-warnings', child, how], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code, signal]] = await Promise.all([text(ending.stderr), once(ending, 'close')]);
  return { said, code, signal };
};

describe('the end of a process whose workers are inside native code', () => {
  test('process.exit ends it with its own code, not by SIGABRT', async () => {
    assert.deepEqual(await endBy('process.exit'), { said: '', code: 0, signal: null });
  });

  test('an exception that nobody catches ends it with code 1, not by SIGABRT', async () => {
    const { said, code, signal } = await endBy('an exception');

    assert.match(said, /an exception of the test/);
    assert.deepEqual({ code, signal }, { code: 1, signal: null });
  });

  test('native code that never returns holds up the end of its process no longer than it does closing', async () => {
    const { said, signal } = await endBy('endless');

    assert.equal(signal, 'SIGKILL');
    assert.match(said, /an image or model computation does not end; its process is killed/);
  });

  test('closing the engine lets it end by itself', async () => {
    assert.deepEqual(await endBy('close'), { said: '', code: 0, signal: null });
  });
});
