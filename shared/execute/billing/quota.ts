import { Fault, messageOf } from '../../kernel/errors.ts';
import { timeOfUlid } from '../../kernel/ids.ts';
import { callKey } from '../../kernel/item-keys.ts';
import type { Clock, Log, Table } from '../../kernel/ports.ts';
import { quotaKey } from '../../kernel/quota-keys.ts';
import { isReserved } from '../../model/call-record.ts';
import { alreadyEnded, isAlreadyEnded } from '../earlier-call.ts';
import type { Meter, MeteredCall, Quota, Reservation } from '../meter.ts';
import { countedBy, createHourMarks } from '../record-row.ts';
import { nothing, type Sum } from './ledger.ts';
import { quotaExhausted, remainingQuota, toLimits } from './limits.ts';
import { monthEnd, monthOf } from './month.ts';
import { notifyNearEnd } from './near-end.ts';
import { computeCharge, type Prices, priceOf } from './prices.ts';
import type { QuotaHolding } from './quota-holders.ts';
import { createRecount, readSum } from './recount.ts';
import { placeRow, removeRow, SKEW_MS } from './reservations.ts';

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
  readonly prices: Prices;
  /** The largest difference between the clocks of processes: a call is left alone for this long after its timeout. */
  readonly skewMs?: number;
  /** Has the counts of this process corrected if it dies; without it, the next caller who needs the quota does so. */
  readonly holding?: QuotaHolding | undefined;
}

const RETENTION_SECONDS = 70 * 86_400;
const MAX_TRIES = 5;
const MAX_KNOWN = 10_000;

/**
 * Charges calls of keys with a quota: first a reserved row in the ledger, then one conditional count of the full price.
 * The unused part is returned once the row has ended. Counts and returns are conditional on no recount having included
 * the row.
 */
export const createMeter = ({ table, clock, log, prices, skewMs = SKEW_MS, holding }: Options): Meter => {
  const recount = createRecount({ table, clock, log });
  const markHour = createHourMarks(table);
  // The last known recounts and used-up quotas; the table detects outdated values.
  const recountsOf = new Map<string, number>();
  const usedUp = new Set<string>();
  /** The ids of calls that were counted here and have not ended. */
  const open = new Set<string>();

  const read = async (keyId: string, month: string) => {
    const item = await table.get(quotaKey(keyId, month));
    return item ? readSum(item) : { ...nothing, recounts: 0 };
  };

  const count = async (key: { readonly keyId: string; readonly month: string }, add: Sum, limits: object) => {
    const expires = Math.floor(monthEnd(key.month) / 1000) + RETENTION_SECONDS;
    try {
      return await table.count(quotaKey(key.keyId, key.month), { ...add }, { ...known, ...limits }, expires);
    } catch (thrown) {
      // A corrupt counter cannot be incremented; reading it gives an error with the cure.
      await read(key.keyId, key.month);
      throw thrown;
    }
  };

  /** Recounts now or, if calls are too frequent, leaves it to a server. */
  const recountSoon = async (
    { tenant, keyId }: Pick<MeteredCall, 'tenant' | 'keyId'>,
    month: string,
  ): Promise<void> => {
    const { isGivenUp } = await recount(tenant, keyId, month, { isForced: true, maxTries: 2 });
    if (isGivenUp) await holding?.leave(tenant, month);
  };

  const giveBack = async (
    { call, micros, recounts = 0, isCountedAgain }: Reservation,
    used: Sum,
    counted = 0,
  ): Promise<void> => {
    const back = { calls: used.calls - 1, micros: used.micros - micros };
    const month = monthOf(call.at);
    // A later recount has already seen the end of the row, so nothing is left to return.
    if (back.calls !== 0 || back.micros !== 0)
      await count({ keyId: call.keyId, month }, back, { recounts: Math.max(recounts, counted) });
    if (isCountedAgain) await recountSoon(call, month);
  };

  /** Leaves to a recount what could not be stored: the counter may or may not include the call. */
  const leaveToRecount = async (
    { id, tenant, keyId }: MeteredCall,
    month: string,
    { message }: Fault,
  ): Promise<void> => {
    log.warn('quota left to a recount', { key: keyId, call_id: id, error: message });
    // A call that stays open makes another process recount when this one ends.
    await holding?.leave(tenant, month).catch(() => open.add(id));
  };

  /** Ends a counted call. Its caller is answered even if the counter cannot be reached. */
  const settle = async (reservation: Reservation, work: () => Promise<void>): Promise<void> => {
    const { call } = reservation;
    if (reservation.quota === undefined) return;
    try {
      await work();
      open.delete(call.id);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      open.delete(call.id);
      await leaveToRecount(call, monthOf(call.at), thrown);
    }
  };

  const abandon = async (reservation: Reservation): Promise<void> => {
    const row = await removeRow(table, reservation.call);
    if (row) await giveBack(reservation, nothing, row.counted);
  };

  /** Counts a call whose row is stored; undefined when the quota is used up. */
  const countRow = async (
    call: MeteredCall,
    quota: Quota,
    micros: number,
    month: string,
    /** The latest recount known before the row was stored: a later one may have counted it. */
    known: number,
  ): Promise<Reservation | undefined> => {
    const expires = Math.floor(monthEnd(month) / 1000) + RETENTION_SECONDS;
    let recounts = known;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const counted = await count({ keyId: call.keyId, month }, { calls: 1, micros }, { ...toLimits(quota), recounts });
      if (counted) {
        // The call is counted by now, so it must not fail for want of an event.
        const usage = { used: counted, added: { calls: 1, micros }, expires };
        await notifyNearEnd({ table, clock }, call, quota, usage).catch((thrown: unknown) =>
          log.warn('event of a quota not published', { key: call.keyId, error: messageOf(thrown) }),
        );
        return { call, micros, quota, recounts, remaining: remainingQuota(quota, counted, month, call.at) };
      }
      const now = await read(call.keyId, month);
      if (now.recounts <= recounts) return undefined;
      recounts = now.recounts;
      if (recountsOf.size > MAX_KNOWN) recountsOf.clear();
      recountsOf.set(nameOf(call, month), recounts);
      const row = await table.get(callKey(call.tenant, call.id));
      // The process was suspended past its timeout, or another one has ended the call.
      if (!row || !isReserved(row)) throw alreadyEnded(call.id);
      // A recount between storing the row and counting it has already counted it.
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

  /** When a quota is known to be used up, it is read first: that costs less than a row that must be removed again. */
  const isStillUsedUp = async (call: MeteredCall, quota: Quota, micros: number, month: string): Promise<boolean> => {
    if (!usedUp.has(call.keyId)) return false;
    const used = await read(call.keyId, month);
    const fits = used.calls < (quota.calls ?? Infinity) && used.micros + micros <= (quota.micros ?? Infinity);
    if (!fits && !(await recount(call.tenant, call.keyId, month)).isChanged) return true;
    usedUp.delete(call.keyId);
    return false;
  };

  /**
   * It is unknown whether the earlier try was counted, unless a recount marked the row. The call is counted again, and
   * a recount at its end corrects that: one now would read the whole ledger while the call waits.
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
    // A recount that has marked the row but not yet set the counter would include it: changing the counter makes that
    // recount start again.
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
      const reservation = await count(call, quota, placed.micros, month, known).catch(async (thrown: unknown) => {
        if (thrown instanceof Fault && !isAlreadyEnded(thrown)) await leaveToRecount(call, month, thrown);
        throw thrown;
      });
      if (reservation) {
        open.add(call.id);
        return reservation;
      }
      await takeRowBack(call, placed.micros, month);
      if (!(await recount(call.tenant, call.keyId, month)).isChanged) break;
    }
    if (usedUp.size > MAX_KNOWN) usedUp.clear();
    usedUp.add(call.keyId);
    throw quotaExhausted(quota, await read(call.keyId, month), micros, month, clock.now());
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
    release: (reservation, { status, chargedMicros }, counted) =>
      settle(reservation, () =>
        giveBack(reservation, status === 'ok' ? { calls: 1, micros: chargedMicros } : nothing, counted),
      ),
    abandon: (reservation) => settle(reservation, () => abandon(reservation)),
    hold: ({ tenant, at, quota }) => (quota ? holding?.hold(tenant, monthOf(at)) : undefined),
    async disown({ id, tenant, keyId, at, quota }) {
      if (quota) await recountSoon({ tenant, keyId }, monthOf(at));
      open.delete(id);
    },
    close: async () => holding?.close(open.size === 0),
  };
};

const nameOf = ({ keyId }: MeteredCall, month: string): string => quotaKey(keyId, month).pk + month;

/** A condition on the counter's version: counters that a newer release has versioned are not changed. */
const known = { v: 0 } as const;
