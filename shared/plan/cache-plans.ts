import type { RunDeps, SavedPlan } from './run-deps.ts';
import { loadPlan } from './run-store.ts';

/** Loads plans through a cache. */
export function cachePlans(store: Pick<RunDeps, 'table' | 'blobs'>, kept = 200): RunDeps['plan'] {
  const plans = new Map<string, SavedPlan>();
  return async (tenant, id) => {
    const key = `${tenant}/${id}`;
    const found = plans.get(key) ?? (await loadPlan(store, tenant, id));
    if (found === undefined) return undefined;
    plans.delete(key);
    plans.set(key, found);
    if (plans.size > kept) plans.delete(plans.keys().next().value ?? key);
    return found;
  };
}
