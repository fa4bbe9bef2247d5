/** Keeps this thread busy until it has used this much CPU time, whatever the machine's load. */
export const burnCpu = (milliseconds: number): number => {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const end = used() + milliseconds;
  let sum = 0;
  while (used() < end) for (let n = 0; n < 100_000; n++) sum += Math.sqrt(n);
  return sum;
};
