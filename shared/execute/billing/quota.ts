import { Fault } from '../../kernel/errors.ts';
import { quotaKey } from '../../kernel/item-keys.ts';
import type { Clock, Log, Table } from '../../kernel/ports.ts';
import type { Meter, MeteredCall, Quota, Remaining, Reservation } from '../meter.ts';
import { nothing, type Sum } from './ledger.ts';
import { monthEnd, monthOf } from './month.ts';
import { tellNearEnd } from './near-end.ts';
import { computeCharge, type Prices, priceOf } from './prices.ts';
import { createRecount, sumOfCounter } from './recount.ts';

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly prices: Prices;
  /** How long after its last change a counter has no call in flight. */
  readonly quietMs?: number;
}

const KEPT_SECONDS = 70 * 86_400;

/**
 * Charges calls with one conditional update each: the reservation equals the price of a success, so only failures,
 * refusals and cached answers write again. A reservation left by a crash is released by recounting.
 */
export const createMeter = ({ table, clock, log, prices, quietMs }: Options): Meter => {
  const recount = createRecount({ table, clock, log, ...(quietMs === undefined ? {} : { quietMs }) });

  const count = async (keyId: string, month: string, add: Sum, quota: Quota, expires: number) => {
    const key = quotaKey(keyId, month);
    try {
      return await table.count(key, { ...add }, limitsOf(quota), expires);
    } catch (thrown) {
      // A corrupt counter cannot be added to; reading it gives an error with the cure.
      const item = await table.get(key);
      if (item) sumOfCounter(item);
      throw thrown;
    }
  };

  const reserve = async (call: MeteredCall, quota: Quota, micros: number): Promise<Reservation> => {
    const month = monthOf(call.at);
    const expires = Math.floor(monthEnd(month) / 1000) + KEPT_SECONDS;
    const take = () => count(call.keyId, month, { calls: 1, micros }, quota, expires);
    const isFreed = () => recount(call.tenant, call.keyId, month);
    const counted = (await take()) ?? ((await isFreed()) ? await take() : undefined);
    if (counted) {
      await tellNearEnd({ table, clock }, call, quota, { used: counted, added: { calls: 1, micros }, expires });
      return { call, micros, quota, remaining: remainingOf(quota, counted, month, call.at) };
    }
    const item = await table.get(quotaKey(call.keyId, month));
    throw exhausted(quota, item ? sumOfCounter(item) : nothing, micros, month, clock.now());
  };

  const price = ({ tool: name, priceMicros: price_micros, implementation }: MeteredCall): number =>
    priceOf(prices, { name, price_micros, implementation }) ?? 0;
  return {
    price,
    reserve(call) {
      const micros = price(call);
      return call.quota ? reserve(call, call.quota, micros) : { call, micros };
    },
    async settle({ call, micros, quota }, { status, cached, actualMicros }) {
      const charged = status === 'ok' ? Math.min(micros, actualMicros ?? computeCharge(prices, micros, cached)) : 0;
      if (quota === undefined || (status === 'ok' && charged === micros)) return charged;
      const back = { calls: status === 'ok' ? 0 : -1, micros: charged - micros };
      await table.count(quotaKey(call.keyId, monthOf(call.at)), back, knownFormat);
      return charged;
    },
  };
};

/** Nothing is added to counters that a newer release has given a format version. */
const knownFormat = { v: 0 } as const;

const limitsOf = ({ calls, micros }: Quota): Readonly<Record<string, number>> => ({
  ...knownFormat,
  ...(calls === undefined ? {} : { calls }),
  ...(micros === undefined ? {} : { micros }),
});

const remainingOf = (quota: Quota, used: Readonly<Record<string, number>>, month: string, at: number): Remaining => ({
  quota,
  at,
  ...(quota.calls === undefined ? {} : { calls: quota.calls - (used.calls ?? 0) }),
  ...(quota.micros === undefined ? {} : { micros: quota.micros - (used.micros ?? 0) }),
  resetsAt: monthEnd(month),
});

const exhausted = (quota: Quota, { calls, micros }: Sum, price: number, month: string, now: number): Fault => {
  const resets_at = new Date(monthEnd(month)).toISOString();
  const what =
    quota.calls !== undefined && calls + 1 > quota.calls
      ? `${calls} of ${quota.calls} calls of ${month} are used`
      : `${micros} of ${quota.micros} micro-dollars of ${month} are used and this call costs ${price}`;
  return new Fault('PaymentRequired', `${what}; the quota is new at ${resets_at}, or ask for a larger one`, {
    quota,
    used: { calls, micros },
    price_micros: price,
    resets_at,
    retry_after_seconds: Math.ceil((monthEnd(month) - now) / 1000),
  });
};
