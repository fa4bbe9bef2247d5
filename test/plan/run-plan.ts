import type { Plan } from '../../shared/model/plan.ts';
import type { RunView } from '../../shared/model/run.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import type { LocalRunDeps } from '../../shared/plan/local-run-deps.ts';
import { createLocalRuns } from '../../shared/plan/local-runs.ts';
import type { SavedPlan } from '../../shared/plan/run-deps.ts';
import { savePlan } from '../../shared/plan/run-store.ts';

export interface RunOptions {
  readonly tenant?: string;
  readonly durations?: Readonly<Record<string, number>>;
  readonly actor?: unknown;
  readonly signal?: AbortSignal;
}

/** Compiles a checked plan. */
export function compileForRuns(plan: Plan, durations: Readonly<Record<string, number>> = {}): SavedPlan {
  const { tree, ...predicted } = compilePlan(plan, { durations });
  return { plan, tree, predicted };
}

/** Saves and runs a plan in this process and waits for its end. */
export async function runPlan(
  deps: LocalRunDeps,
  plan: Plan,
  input: unknown = {},
  options: RunOptions = {},
): Promise<RunView> {
  const { tenant = 'default', signal } = options;
  const runs = createLocalRuns(deps);
  await savePlan(deps, tenant, compileForRuns(plan, options.durations));
  const { run_id: id } = await runs.start({ tenant, plan_id: plan.plan_id, input, actor: options.actor });
  const stop = (): void => void runs.cancel(tenant, id);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await runs.ended(tenant, id);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
