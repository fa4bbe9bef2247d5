import { timeOfUlid } from '../../kernel/ids.ts';
import { callKey } from '../../kernel/item-keys.ts';
import type { Clock, Log, Table } from '../../kernel/ports.ts';
import { quotaKey } from '../../kernel/quota-keys.ts';
import { isReserved } from '../../model/call-record.ts';
import { hasEnded } from '../earlier-call.ts';
import type { Meter, MeteredCall, Quota, Reservation } from '../meter.ts';
import { countedBy, createHourMarks } from '../record-row.ts';
import { nothing, type Sum } from './ledger.ts';
import { exhausted, remainingQuota, toLimits } from './limits.ts';
import { monthEnd, monthOf } from './month.ts';
import { tellNearEnd } from './near-end.ts';
import { computeCharge, type Prices, priceOf } from './prices.ts';
import type { QuotaHolding } from './quota-holders.ts';
import { createRecount, readSum } from './recount.ts';
import { placeRow, removeRow, SKEW_MS } from './reservations.ts';

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
  readonly prices: Prices;
  /** By how much clocks of processes may differ: so long after its time-out a call is left alone. */
  readonly skewMs?: number;
  /** Has what this process counts recounted, should it die; without it that waits for whoever needs the quota. */
  readonly holding?: QuotaHolding | undefined;
}

const KEPT_SECONDS = 70 * 86_400;
const MOST_TRIES = 5;
const MOST_KNOWN = 10_000;

/**
 * Charges calls of keys with a quota: a row in the ledger first, then one conditional count of the price of a success.
 * What is not used is given back once the row has ended. A count or its return holds only as long as no recount has
 * seen to it.
 */
export const createMeter = ({ table, clock, log, prices, skewMs = SKEW_MS, holding }: Options): Meter => {
  const recount = createRecount({ table, clock, log });
  const markHour = createHourMarks(table);
  // What was last seen of counters; whatever is out of date is noticed by the table.
  const recountsOf = new Map<string, number>();
  const usedUp = new Set<string>();
  /** The calls that were counted here and have not ended here. */
  const open = new Set<string>();

  const read = async (keyId: string, month: string) => {
    const item = await table.get(quotaKey(keyId, month));
    return item ? readSum(item) : { ...nothing, recounts: 0 };
  };

  const count = async (key: { readonly keyId: string; readonly month: string }, add: Sum, limits: object) => {
    const expires = Math.floor(monthEnd(key.month) / 1000) + KEPT_SECONDS;
    try {
      return await table.count(quotaKey(key.keyId, key.month), { ...add }, { ...known, ...limits }, expires);
    } catch (thrown) {
      // A corrupt counter cannot be added to; reading it gives an error with the cure.
      await read(key.keyId, key.month);
      throw thrown;
    }
  };

  /** Where calls go on too fast for that, a server does it later. */
  const recountSoon = async (
    { tenant, keyId }: Pick<MeteredCall, 'tenant' | 'keyId'>,
    month: string,
  ): Promise<void> => {
    const { isGivenUp } = await recount(tenant, keyId, month, { isForced: true, mostTries: 2 });
    if (isGivenUp) await holding?.leave(tenant, month);
  };

  const giveBack = async (
    { call, micros, recounts = 0, isCountedAgain }: Reservation,
    used: Sum,
    counted = 0,
  ): Promise<void> => {
    const back = { calls: used.calls - 1, micros: used.micros - micros };
    const month = monthOf(call.at);
    // After a later recount there is nothing to give back: the row had ended by then.
    if (back.calls !== 0 || back.micros !== 0)
      await count({ keyId: call.keyId, month }, back, { recounts: Math.max(recounts, counted) });
    if (isCountedAgain) await recountSoon(call, month);
  };

  const abandon = async (reservation: Reservation): Promise<void> => {
    const row = await removeRow(table, reservation.call);
    if (row) await giveBack(reservation, nothing, row.counted);
  };

  /** Counts a call whose row is there; undefined when the quota is used up. */
  const countRow = async (
    call: MeteredCall,
    quota: Quota,
    micros: number,
    month: string,
    /** The latest recount that was known before the row was there: a later one may have counted it. */
    known: number,
  ): Promise<Reservation | undefined> => {
    const expires = Math.floor(monthEnd(month) / 1000) + KEPT_SECONDS;
    let recounts = known;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const counted = await count({ keyId: call.keyId, month }, { calls: 1, micros }, { ...toLimits(quota), recounts });
      if (counted) {
        await tellNearEnd({ table, clock }, call, quota, { used: counted, added: { calls: 1, micros }, expires });
        return { call, micros, quota, recounts, remaining: remainingQuota(quota, counted, month, call.at) };
      }
      const now = await read(call.keyId, month);
      if (now.recounts <= recounts) return undefined;
      recounts = now.recounts;
      if (recountsOf.size > MOST_KNOWN) recountsOf.clear();
      recountsOf.set(nameOf(call, month), recounts);
      const row = await table.get(callKey(call.tenant, call.id));
      // It slept until its time was up, or another has ended it.
      if (!row || !isReserved(row)) throw hasEnded(call.id);
      // A recount between the row and its count has counted it.
      if (countedBy(row) === now.recounts)
        return {
          call,
          micros,
          quota,
          recounts,
          remaining: remainingQuota(quota, { ...now }, month, call.at),
        };
    }
    return undefined;
  };

  /** Looks before writing, where a quota is known to be used up: that costs less than a row that is taken back. */
  const isStillUsedUp = async (call: MeteredCall, quota: Quota, micros: number, month: string): Promise<boolean> => {
    if (!usedUp.has(call.keyId)) return false;
    const used = await read(call.keyId, month);
    const fits = used.calls < (quota.calls ?? Infinity) && used.micros + micros <= (quota.micros ?? Infinity);
    if (!fits && !(await recount(call.tenant, call.keyId, month)).isChanged) return true;
    usedUp.delete(call.keyId);
    return false;
  };

  /**
   * Nobody knows whether the try before this one was counted, unless by a recount. It is counted again, and a recount
   * at its end puts that right: one before it would read the whole ledger while the call waits.
   */
  const countTakenOver: typeof countRow = async (call, quota, micros, month, known) => {
    const row = await table.get(callKey(call.tenant, call.id));
    const { recounts } = await read(call.keyId, month);
    const isCounted = recounts > 0 && countedBy(row) === recounts;
    if (isCounted) return { call, micros, quota, recounts };
    const counted = await countRow(call, quota, micros, month, known);
    return counted && { ...counted, isCountedAgain: true };
  };

  const takeRowBack = async (call: MeteredCall, micros: number, month: string): Promise<void> => {
    const row = await removeRow(table, call);
    if (row?.counted === undefined) return;
    // A recount that has marked the row and not set the counter yet would count it: touched, it starts again.
    const isBeforeRecount = await count({ keyId: call.keyId, month }, nothing, { recounts: row.counted - 1 });
    if (!isBeforeRecount) await giveBack({ call, micros }, nothing, row.counted);
  };

  const reserve = async (call: MeteredCall, quota: Quota, micros: number): Promise<Reservation> => {
    const month = monthOf(call.at);
    await holding?.hold(call.tenant, month);
    const isUsedUp = await isStillUsedUp(call, quota, micros, month);
    if (!isUsedUp) await markHour(call.tenant, timeOfUlid(call.id) ?? call.at);
    for (let tries = 0; tries < 2 && !isUsedUp; tries++) {
      const known = recountsOf.get(nameOf(call, month)) ?? 0;
      const placed = await placeRow(table, call, micros, clock.now() + call.timeoutMs + skewMs);
      const count = placed.isTakenOver ? countTakenOver : countRow;
      const reservation = await count(call, quota, placed.micros, month, known);
      if (reservation) {
        open.add(call.id);
        return reservation;
      }
      await takeRowBack(call, placed.micros, month);
      if (!(await recount(call.tenant, call.keyId, month)).isChanged) break;
    }
    if (usedUp.size > MOST_KNOWN) usedUp.clear();
    usedUp.add(call.keyId);
    throw exhausted(quota, await read(call.keyId, month), micros, month, clock.now());
  };

  const price = ({ tool: name, priceMicros: price_micros, implementation }: MeteredCall): number =>
    priceOf(prices, { name, price_micros, implementation }) ?? 0;
  return {
    price,
    reserve(call) {
      const micros = price(call);
      return call.quota ? reserve(call, call.quota, micros) : { call, micros };
    },
    priceOf({ micros }, { status, cached, actualMicros }) {
      return status === 'ok' ? Math.min(micros, actualMicros ?? computeCharge(prices, micros, cached)) : 0;
    },
    async release(reservation, { status, chargedMicros }, counted) {
      if (reservation.quota === undefined) return;
      await giveBack(reservation, status === 'ok' ? { calls: 1, micros: chargedMicros } : nothing, counted);
      open.delete(reservation.call.id);
    },
    async abandon(reservation) {
      if (reservation.quota === undefined) return;
      await abandon(reservation);
      open.delete(reservation.call.id);
    },
    hold: ({ tenant, at, quota }) => (quota ? holding?.hold(tenant, monthOf(at)) : undefined),
    async disown({ id, tenant, keyId, at, quota }) {
      if (quota) await recountSoon({ tenant, keyId }, monthOf(at));
      open.delete(id);
    },
    close: async () => holding?.close(open.size === 0),
  };
};

const nameOf = ({ keyId }: MeteredCall, month: string): string => quotaKey(keyId, month).pk + month;

/** Nothing is added to counters that a newer release has given a format version. */
const known = { v: 0 } as const;
