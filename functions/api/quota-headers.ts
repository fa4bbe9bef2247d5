import { isNearEnd } from '../../shared/execute/billing/near-end.ts';
import type { Remaining } from '../../shared/execute/meter.ts';
import type { ApiContext } from './env.ts';
import { stateOf } from './request-state.ts';

const MONTH_SECONDS = 2_592_000;

/** The fields of the IETF's RateLimit draft: the rest of a quota, and the seconds until it is reset. */
export const quotaHeaders = (remaining: Remaining | undefined): Readonly<Record<string, string>> => {
  if (remaining === undefined) return {};
  const seconds = Math.max(0, Math.ceil((remaining.resetsAt - remaining.at) / 1000));
  const units = (['calls', 'micros'] as const).filter((unit) => remaining[unit] !== undefined);
  if (units.length === 0) return {};
  const near = units.filter((unit) => isNearEnd(remaining.quota[unit], remaining[unit]));
  const headers: Record<string, string> = {
    ratelimit: units.map((unit) => `"${unit}";r=${remaining[unit]};t=${seconds}`).join(', '),
    'ratelimit-policy': units.map((unit) => `"${unit}";q=${remaining.quota[unit]};w=${MONTH_SECONDS}`).join(', '),
  };
  if (near.length > 0) headers['assay-quota-near-end'] = near.join(', ');
  return headers;
};

/** Captures the rest of the quota after a priced call, for the headers of its answer. */
export const captureQuota =
  (c: ApiContext) =>
  (left: Remaining): void => {
    stateOf(c).remaining = left;
  };
