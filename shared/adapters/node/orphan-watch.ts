import { Worker } from 'node:worker_threads';

/**
 * Ends this process soon after its parent is gone, even in the middle of a loop that never ends: the channel's own
 * event would wait for that loop, a thread does not.
 */
export const endWithParent = (): void => {
  process.on('disconnect', () => process.exit());
  const watch = `const parent = process.ppid; setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
};
