/** This thread's CPU time in milliseconds, which other load hardly changes; its resolution is about 4 ms. */
export const cpuMs = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

/**
 * The CPU time of `other` divided by that of `work`, from the fastest of several alternating runs, because a
 * disturbance rarely affects all runs.
 */
export const cpuRatio = async (work: () => unknown, other: () => unknown, runs = 4): Promise<number> => {
  const [works, others]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    works.push(await cpuMs(work));
    others.push(await cpuMs(other));
  }
  return Math.min(...others) / Math.max(1, Math.min(...works));
};
