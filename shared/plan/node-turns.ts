import { Fault } from '../kernel/errors.ts';
import type { FairTurns } from '../kernel/fair-turns.ts';
import { createLines } from '../kernel/in-line.ts';
import { pause } from '../kernel/pause.ts';
import type { Timers } from '../kernel/ports.ts';
import type { PlanNode } from '../model/plan.ts';

/** Shares this process between the nodes of plans. */
export interface NodeTurns {
  /** Resolves when the tenant's turn of the event loop has come. */
  take(tenant: string): Promise<void>;
  /** Waits until a node may start; resolves to what ends it. */
  admit(tenant: string, node: PlanNode): Promise<() => void>;
}

export interface NodeTurnsPorts {
  readonly turns: Pick<FairTurns, 'own'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Whether the node's call waits for a process that it shares with others. */
  readonly queues: (tenant: string, node: PlanNode) => Promise<boolean>;
}

/** How soon a tenant whose requests fill its queue is asked for again. */
const BUSY_MS = 50;
/**
 * A process runs one call at a time, for 5 s at most, and one that has waited for 30 s is refused, which fails its run:
 * more would only wait.
 */
const MOST_QUEUED = 6;

/**
 * Nodes of plans arrive by hundreds. They line up here, so that only the first of a tenant waits among its requests,
 * and what is full delays nodes instead of failing them.
 */
export const createNodeTurns = ({ turns, timers, queues }: NodeTurnsPorts): NodeTurns => {
  const inLine = createLines();
  const places = createPlaces(MOST_QUEUED);
  const ask = async (tenant: string): Promise<void> => {
    for (;;) {
      try {
        return await turns.own(tenant);
      } catch (thrown) {
        if (!(thrown instanceof Fault && thrown.code === 'RateLimited')) throw thrown;
        await pause(timers, BUSY_MS);
      }
    }
  };
  const take = (tenant: string): Promise<void> => inLine(tenant, () => ask(tenant));
  return {
    take,
    async admit(tenant, node) {
      const leave = (await queues(tenant, node)) ? await places(tenant) : () => {};
      await take(tenant).catch((thrown: unknown) => {
        leave();
        throw thrown;
      });
      return leave;
    },
  };
};

/** Gives each tenant so many places; resolves to what gives the place back. */
const createPlaces = (most: number) => {
  const tenants = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();
  return async (tenant: string): Promise<() => void> => {
    const own = tenants.get(tenant) ?? { taken: 0, waiting: [] };
    tenants.set(tenant, own);
    if (own.taken < most) own.taken++;
    else await new Promise<void>((go) => own.waiting.push(go));
    return () => {
      const next = own.waiting.shift();
      if (next) next();
      else if (--own.taken === 0) tenants.delete(tenant);
    };
  };
};
