import {
  createQuotaHolding,
  type QuotaContext,
  type QuotaHolding,
} from '../../shared/execute/billing/quota-holders.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { HEARTBEAT_MS } from '../../shared/kernel/lease.ts';

/** Recounts the quotas of processes that died, at start and with every heartbeat. */
export const localQuotas = (context: QuotaContext): QuotaHolding => {
  const { timers, log } = context;
  const holding = createQuotaHolding(context);
  let looking: Promise<void> | undefined;
  // A recount of a long ledger takes longer than the interval.
  const look = (): void => {
    looking ??= holding
      .takeOver()
      .catch((thrown: unknown) => log.warn('quotas of ended processes not recounted', { error: messageOf(thrown) }))
      .finally(() => {
        looking = undefined;
      });
  };
  const stop = timers.every(HEARTBEAT_MS, look);
  look();
  return {
    hold: holding.hold,
    leave: holding.leave,
    takeOver: holding.takeOver,
    async close(isIdle) {
      stop();
      await looking;
      await holding.close(isIdle);
    },
  };
};
