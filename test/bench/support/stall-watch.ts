import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a server by `--import`: writes down each turn of the event loop that took longer than 20 ms of the
 * processor, which a busy machine does not change as it does the clock's, and each second what its memory is made of.
 */
const file = process.env.STALL_FILE;
if (isMainThread && file !== undefined) {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const milliseconds = (user + system) / 1000;
    if (milliseconds > 20) appendFileSync(file, `${Date.now()} ${milliseconds.toFixed(1)}\n`);
  }, 2).unref();
  setInterval(() => {
    writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()));
    // Whoever reads it reads all of it.
    renameSync(`${file}.part`, `${file}.memory`);
  }, 1000).unref();
}
