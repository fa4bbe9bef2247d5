import {
  createQuotaHolding,
  type QuotaContext,
  type QuotaHolding,
} from '../../shared/execute/billing/quota-holders.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { BEAT_MS } from '../../shared/kernel/lease.ts';

/** Recounts, at the start and with every beat, the quotas that a process which died had counted on. */
export const localQuotas = (context: QuotaContext): QuotaHolding => {
  const { timers, log } = context;
  const holding = createQuotaHolding(context);
  let looking: Promise<void> | undefined;
  // A long ledger takes longer than a beat.
  const look = (): void => {
    looking ??= holding
      .takeOver()
      .catch((thrown: unknown) => log.warn('quotas not looked at', { error: messageOf(thrown) }))
      .finally(() => {
        looking = undefined;
      });
  };
  const stop = timers.every(BEAT_MS, look);
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
