import { attemptKey } from '../kernel/item-keys.ts';
import { acquireLease, LEASE_MS, type Lease } from '../kernel/lease.ts';
import { type Heartbeat, keepLease, newOwner } from '../kernel/leased-item.ts';
import { type AttemptBody, AttemptItem, type RunBody } from '../model/run.ts';
import type { NodeRows } from './record.ts';
import type { RunDeps } from './run-deps.ts';
import { loadRows } from './run-store.ts';

/** How often a step that was delivered twice checks whether the first delivery has ended. */
const LOOK_MS = 1000;

/** The lease of a new attempt; undefined where the whole run has one. */
export const newAttemptLease = ({ attemptLeases, clock }: RunDeps, last?: AttemptBody): Lease | undefined => {
  if (!attemptLeases) return undefined;
  const ended = last?.lease && { ...last.lease, until: 0 };
  return acquireLease(ended, newOwner(attemptLeases.random), clock.now());
};

/** When an attempt that never ended was last active: at its last heartbeat, or now where it has no lease. */
export const lastSeen = ({ lease }: AttemptBody, now: number): number =>
  lease === undefined ? now : Math.min(now, lease.until - LEASE_MS);

/** Renews an attempt's lease until it is stopped; undefined where it has no lease. */
export const keepAttemptLease = (
  deps: RunDeps,
  run: RunBody,
  { node, attempt, lease }: AttemptBody,
): Heartbeat | undefined => {
  const { attemptLeases, table, clock } = deps;
  if (!attemptLeases || !lease) return undefined;
  const item = { key: attemptKey(run.tenant, run.run_id, node, attempt), kind: AttemptItem };
  return keepLease({ table, clock, ...attemptLeases }, item, lease);
};

/**
 * The rows of a node once no live attempt holds it: a step that is delivered again waits for the earlier delivery,
 * which may still run, and continues when that has ended or its lease has expired.
 */
export const rowsWhenFree = async (
  deps: RunDeps,
  run: RunBody,
  node: string,
  signal: AbortSignal | undefined,
): Promise<NodeRows> => {
  for (;;) {
    const rows = (await loadRows(deps, run.tenant, run.run_id, node)).get(node) ?? { attempts: [] };
    const isTaken = rows.attempts.some(
      ({ status, lease }) => status === 'running' && lease !== undefined && lease.until > deps.clock.now(),
    );
    if (!deps.attemptLeases || !isTaken || signal?.aborted) return rows;
    await deps.attemptLeases.wait(LOOK_MS);
  }
};
