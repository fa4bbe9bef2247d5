import { Worker } from 'node:worker_threads';

/**
 * Ends this process soon after its parent has died, even during an endless loop, which would block the channel's event
 * but not a thread.
 */
export const endWithParent = (): void => {
  process.on('disconnect', () => process.exit());
  const watch = `const parent = process.ppid; setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
};
