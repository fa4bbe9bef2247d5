import { hash } from 'node:crypto';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a server by `--import`: writes down each turn of the event loop that took longer than 20 ms of the
 * processor, which a busy machine does not change as it does the clock's, and each second what its memory is made of
 * and how long the same small work took lately: beside others a processor does less in a millisecond. By the clock, of
 * which a median leaves out the interruptions: the processor's time is only told in steps of milliseconds.
 */
const file = process.env.STALL_FILE;
/** Of the times of the same work: those of twenty minutes. */
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
    // Whoever reads it reads all of it.
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

/** Outside of JavaScript, whose compiler makes the same work cheaper or dearer in the course of time. */
function doTheSame(): void {
  hash('sha256', SAME_BYTES);
}
