import { messageOf } from '../kernel/errors.ts';
import { approvalKey } from '../kernel/item-keys.ts';
import type { Heartbeat } from '../kernel/leased-item.ts';
import type { Log, Timers } from '../kernel/ports.ts';
import { read } from '../kernel/stored.ts';
import { ApprovalItem } from '../model/run.ts';
import type { RunDeps } from './run-deps.ts';
import { loadRun } from './run-store.ts';
import { answerWith } from './step.ts';

/** A run of this process, as far as others may affect it. */
export interface Watched {
  readonly tenant: string;
  readonly controller: AbortController;
  readonly heartbeat: Heartbeat;
  /** The nodes that wait for a person. */
  readonly asked: Set<string>;
}

/** How soon an answer or a cancellation from another process is noticed. */
const WATCH_MS = 500;

/** Watches the runs of this process until it is stopped. */
export const watchRuns = (
  deps: RunDeps,
  { timers, log }: { readonly timers: Timers; readonly log: Pick<Log, 'warn'> },
  active: ReadonlyMap<string, Watched>,
): (() => void) =>
  timers.every(WATCH_MS, () => {
    for (const [id, watched] of active)
      lookAfter(deps, id, watched).catch((thrown: unknown) =>
        log.warn('run not watched', { run: id, error: messageOf(thrown) }),
      );
  });

/** Checks what others did to a run of this process: took it over, cancelled it, or answered its approvals. */
const lookAfter = async (
  deps: RunDeps,
  id: string,
  { tenant, controller, heartbeat, asked }: Watched,
): Promise<void> => {
  if (heartbeat.isLost()) controller.abort();
  const run = await loadRun(deps, tenant, id);
  if (run?.cancel_requested_at !== undefined) controller.abort();
  for (const node of asked) {
    const item = await deps.table.get(approvalKey(tenant, id, node));
    const approval = item && read(item, ApprovalItem);
    if (approval?.decision === undefined) continue;
    asked.delete(node);
    await answerWith(deps, approval);
  }
};
