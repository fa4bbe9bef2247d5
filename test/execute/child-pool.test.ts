import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createChildPool } from '../../shared/adapters/node/child-pool.ts';
import { PATIENT_MS } from '../support/execution.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Leaves a file named by its process when it is ready, and answers with that name; a job that loops has no answer. */
const child = (folder: string): string => `
import { writeFileSync } from 'node:fs';
const usage = { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 };
process.on('message', ({ loops }) => loops || process.send({ text: String(process.pid), usage }));
process.on('disconnect', () => process.exit());
process.send({ ready: true }, () => writeFileSync(${JSON.stringify(folder)} + '/' + process.pid, ''));
`;

const startPool = async (t: { after(clean: () => unknown): void }, source = child, size = 2) => {
  const folder = await temporaryDirectory(t);
  const file = join(await temporaryDirectory(t), 'child.mjs');
  await writeFile(file, source(folder));
  const pool = createChildPool({ file: pathToFileURL(file), size, longestWaitMs: PATIENT_MS });
  t.after(() => pool.close());
  /** The processes that have been ready so far, once there are so many. */
  const ready = async (count: number): Promise<readonly string[]> => {
    for (;;) {
      const pids = await readdir(folder);
      if (pids.length >= count) return pids;
      await wait(5);
    }
  };
  const ask = async (tenant: string, started = () => {}): Promise<string> => {
    const answer = await pool.run({}, { tenant, signal: new AbortController().signal, started, spent: () => {} });
    return 'text' in answer ? answer.text : answer.thrown.message;
  };
  /** A job that goes on until it is ended. */
  const loop = async (tenant: string): Promise<() => void> => {
    const [begun, stop] = [Promise.withResolvers<void>(), new AbortController()];
    pool.run({ loops: true }, { tenant, signal: stop.signal, started: begun.resolve, spent: () => {} }).catch(() => {});
    await begun.promise;
    return () => stop.abort(new Error('enough'));
  };
  return { ready, ask, loop };
};

describe('the pool keeps a process ready', () => {
  test('X.06 beside a tenant with an endless loop, another tenant’s first job runs in a process that was ready', async (t) => {
    const { ready, ask, loop } = await startPool(t);
    await loop('loud');

    const before = await ready(2);

    const ran = await ask('polite');
    assert.ok(before.includes(ran), `${ran} of ${before}`);
  });

  test('X.06 a tenant whose job was killed waits for the new process, and leaves the ready one to others', async (t) => {
    const { ready, ask, loop } = await startPool(t);
    const stop = await loop('loud');
    const before = await ready(2);
    const begun: string[] = [];

    stop();
    const [, ran] = await Promise.all(['loud', 'polite'].map((tenant) => ask(tenant, () => begun.push(tenant))));

    assert.deepEqual(begun, ['polite', 'loud']);
    assert.ok(ran !== undefined && before.includes(ran), `${ran} of ${before}`);
    assert.equal((await ready(3)).length, 3);
  });

  test('X.07 the pool never has more processes than its limit', async (t) => {
    const { ready, ask, loop } = await startPool(t, child, 3);
    const stops = await Promise.all([loop('a'), loop('a'), loop('b')]);
    const waiting = Promise.all([ask('c'), ask('d')]);

    assert.equal((await ready(3)).length, 3);
    stops[0]?.();
    await waiting;
    assert.equal((await ready(4)).length, 4);
  });

  test('short jobs start no process beyond those they need', async (t) => {
    const { ask } = await startPool(t);
    const first = await ask('a');

    for (const tenant of ['a', 'b', 'c']) assert.equal(await ask(tenant), first);
  });

  test('a child process that cannot start fails the waiting job, and the next job is tried', async (t) => {
    const { ask } = await startPool(t, () => 'process.exit(7);');

    await assert.rejects(ask('a'), /exit code 7/);
    await assert.rejects(ask('b'), /exit code 7/);
  });
});
