/** Milliseconds of this thread's CPU time, which other load hardly changes; the system counts it in steps of about 4. */
export const cpuMs = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

/**
 * How many times the CPU time of `work` the `other` takes, by the fastest of several alternating runs: what disturbs one
 * run does not disturb them all.
 */
export const cpuRatio = async (work: () => unknown, other: () => unknown, runs = 4): Promise<number> => {
  const [works, others]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    works.push(await cpuMs(work));
    others.push(await cpuMs(other));
  }
  return Math.min(...others) / Math.max(1, Math.min(...works));
};
