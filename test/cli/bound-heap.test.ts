import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MEGABYTE = 2 ** 20;

/** The most megabytes of young generation and of heap that a process had whose values live for a while. */
const heapOf = async (begin: string): Promise<{ readonly young: number; readonly heap: number }> => {
  const work = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { boundHeap } from '${new URL('../../functions/cli/bound-heap.ts', import.meta.url).href}';
    ${begin}
    let [kept, young, heap] = [[], 0, 0];
    for (let turn = 0; turn < 120; turn++) {
      for (let n = 0; n < 10_000; n++) kept.push({ n, list: [n] });
      kept = kept.slice(-100_000);
      await new Promise(setImmediate);
      const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
      young = Math.max(young, space.space_size);
      heap = Math.max(heap, process.memoryUsage().heapTotal);
    }
    console.log(JSON.stringify({ young, heap }));
    process.exit();`;
  // As V8 chooses them on a machine with much memory.
  const flags = ['--max-semi-space-size=64', '--max-old-space-size=4096', '--no-warnings'];
  const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '-e', work]);
  const { young, heap } = JSON.parse(stdout) as { young: number; heap: number };
  return { young: young / MEGABYTE, heap: heap / MEGABYTE };
};

test('a bounded heap has a young generation of 32 MB at most, and takes less than an unbounded one', async () => {
  const bounded = await heapOf('boundHeap();');
  const unbounded = await heapOf('');

  assert.ok(bounded.young <= 32, `${bounded.young} MB`);
  assert.ok(unbounded.young > 32 && bounded.heap < 0.8 * unbounded.heap, JSON.stringify({ bounded, unbounded }));
});
