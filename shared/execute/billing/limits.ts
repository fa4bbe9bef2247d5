import { Fault } from '../../kernel/errors.ts';
import type { Quota, Remaining } from '../meter.ts';
import type { Sum } from './ledger.ts';
import { monthEnd } from './month.ts';

/** The limits of a quota's counters. */
export const toLimits = ({ calls, micros }: Quota): Readonly<Record<string, number>> => {
  const limits: Record<string, number> = {};
  if (calls !== undefined) limits.calls = calls;
  if (micros !== undefined) limits.micros = micros;
  return limits;
};

export const remainingQuota = (
  quota: Quota,
  used: Readonly<Record<string, number>>,
  month: string,
  at: number,
): Remaining => ({
  quota,
  at,
  calls: subtract(quota.calls, used.calls),
  micros: subtract(quota.micros, used.micros),
  resetsAt: monthEnd(month),
});

const subtract = (limit: number | undefined, used = 0): number | undefined =>
  limit === undefined ? undefined : limit - used;

/** The refusal that names the limit that was reached, as far as the counter shows. */
export const quotaExhausted = (
  quota: Quota,
  { calls, micros }: Sum,
  price: number,
  month: string,
  now: number,
): Fault => {
  const resets_at = new Date(monthEnd(month)).toISOString();
  const isByCalls = quota.calls !== undefined && (calls + 1 > quota.calls || quota.micros === undefined);
  const what = isByCalls
    ? `${calls} of ${quota.calls} calls of ${month} are used`
    : `${micros} of ${quota.micros} micro-dollars of ${month} are used and this call costs ${price}`;
  return new Fault('PaymentRequired', `${what}; the quota resets at ${resets_at}, or ask for a larger one`, {
    quota,
    used: { calls, micros },
    price_micros: price,
    resets_at,
    retry_after_seconds: Math.ceil((monthEnd(month) - now) / 1000),
  });
};
