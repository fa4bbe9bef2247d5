/** Pending jobs, in one queue per tenant. Tenants are served in turn, so that one with many jobs delays only itself. */
export interface FairQueue<Job> {
  /** Adds a job at the end of its tenant's queue; false when that is full. */
  push(tenant: string, job: Job): boolean;
  /** Takes the first job of the tenant whose turn it is, among those that may start now. */
  take(mayGo: (tenant: string, job: Job) => boolean): Job | undefined;
  /** Removes a pending job; false when it is not in the queue. */
  remove(tenant: string, job: Job): boolean;
  waiting(tenant: string): number;
  /** How many jobs could start now, with a limit for each tenant. */
  ready(most: (tenant: string) => number): number;
}

export const createFairQueue = <Job>(maxPerTenant: number): FairQueue<Job> => {
  // In the order of their turns: a tenant that was served moves to the end.
  const queues = new Map<string, Job[]>();
  const drop = (tenant: string, queue: Job[]): void => {
    queues.delete(tenant);
    if (queue.length > 0) queues.set(tenant, queue);
  };
  return {
    push(tenant, job) {
      const queue = queues.get(tenant);
      if ((queue?.length ?? 0) >= maxPerTenant) return false;
      if (queue) queue.push(job);
      else queues.set(tenant, [job]);
      return true;
    },
    take(mayGo) {
      for (const [tenant, queue] of queues) {
        const [first] = queue;
        if (first === undefined || !mayGo(tenant, first)) continue;
        queue.shift();
        drop(tenant, queue);
        return first;
      }
      return undefined;
    },
    remove(tenant, job) {
      const queue = queues.get(tenant);
      const at = queue?.indexOf(job) ?? -1;
      if (!queue || at < 0) return false;
      queue.splice(at, 1);
      if (queue.length === 0) queues.delete(tenant);
      return true;
    },
    waiting: (tenant) => queues.get(tenant)?.length ?? 0,
    ready: (most) =>
      [...queues].reduce((sum, [tenant, { length }]) => sum + Math.max(0, Math.min(length, most(tenant))), 0),
  };
};
