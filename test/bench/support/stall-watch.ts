import { hash } from 'node:crypto';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a server by `--import`: records each turn of the event loop that took more than 20 ms of CPU time, which
 * other load does not change, unlike wall time. Each second it records the memory use and the recent times of a fixed
 * piece of work, because a processor does less per millisecond beside other load. That is wall time, from which a
 * median removes interruptions, because CPU time has a resolution of milliseconds.
 */
const file = process.env.STALL_FILE;
/** How many times of the fixed work are kept: those of twenty minutes. */
const MOST_KEPT = 1200;
const SAME_BYTES = new Uint8Array(1 << 19);
if (isMainThread && file !== undefined) {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const milliseconds = (user + system) / 1000;
    if (milliseconds > 20) appendFileSync(file, `${Date.now()} ${milliseconds.toFixed(1)}\n`);
  }, 2).unref();
  const same: number[] = [];
  setInterval(() => {
    const start = performance.now();
    doTheSame();
    same.push(performance.now() - start);
    if (same.length > MOST_KEPT) same.shift();
    writeFileSync(`${file}.part`, JSON.stringify({ ...process.memoryUsage(), same }));
    // Renamed, so that a reader never sees a partial file.
    renameSync(`${file}.part`, `${file}.memory`);
  }, 1000).unref();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    writeFileSync(`${file}.part-live`, String(process.memoryUsage().heapUsed));
    renameSync(`${file}.part-live`, `${file}.live`);
  });
}

/** Work in native code, because JavaScript gets faster or slower over time as it is recompiled. */
function doTheSame(): void {
  hash('sha256', SAME_BYTES);
}
