import type { Outcome } from '../model/call.ts';
import type { Tool } from '../model/tool.ts';
import type { Call, CallLayer, CallResult, LayerContext } from './call.ts';
import { isLost } from './earlier-call.ts';
import { timeoutMsOf } from './run-handler.ts';

/** What a key may use in a month. */
export interface Quota {
  readonly calls?: number | undefined;
  readonly micros?: number | undefined;
}

/** The remaining quota, when it was read, and when it resets; times in milliseconds since 1970. */
export interface Remaining extends Quota {
  readonly quota: Quota;
  readonly at: number;
  readonly resetsAt: number;
}

/** What a price depends on. */
export interface MeteredCall {
  readonly id: string;
  readonly tenant: string;
  readonly keyId: string;
  readonly tool: string;
  readonly version: string;
  /** What is behind it: the price of a handler in the list is the least. */
  readonly implementation?: Tool['implementation'];
  /** Its own price; absent where only the price list may have one. */
  readonly priceMicros?: number | undefined;
  /** The key's quota, where it has one. */
  readonly quota?: Quota | undefined;
  /** When the call was made, in milliseconds since 1970. */
  readonly at: number;
  /** How long it may run. */
  readonly timeoutMs: number;
}

/** A reservation against the quota; opaque, returned to the meter when the call ends. */
export interface Reservation {
  readonly call: MeteredCall;
  readonly micros: number;
  readonly quota?: Quota;
  readonly remaining?: Remaining;
  /** The latest recount of the quota when it was counted. */
  readonly recounts?: number;
  /** Taken over from a process that may have counted it too. */
  readonly isCountedAgain?: true;
}

/** How a call ended, as far as its price depends on it. A call refused by an inner layer is `failed`. */
export interface Settled {
  readonly status: Outcome['status'];
  readonly cached: boolean;
  /** The actual price, where it is less than the reservation. */
  readonly actualMicros?: number | undefined;
}

/** Charges calls: reserved before anything runs, settled by the record, which only one can write. */
export interface Meter {
  /** What a call would be charged if it succeeded and was not cached. */
  price(call: MeteredCall): number;
  /** Refuses with `PaymentRequired` or `RateLimited` when the key's limits are used up. */
  reserve(call: MeteredCall): Reservation | Promise<Reservation>;
  /** What a call costs that ended so. */
  priceOf(reservation: Reservation, settled: Settled): number;
  /** Gives back what was not charged, once the call's record is stored; `counted` is what the recorder answered. */
  release(
    reservation: Reservation,
    ended: { readonly status: Outcome['status']; readonly chargedMicros: number },
    counted?: number,
  ): Promise<void> | undefined;
  /** Gives everything back, and takes the reservation out of the ledger. */
  abandon(reservation: Reservation): Promise<void> | undefined;
  /** Notes that this process ends a call that another has reserved; before it does. */
  hold(call: MeteredCall): Promise<void> | undefined;
  /** Gives back, by a recount, what another process had counted for a call that was ended here. */
  disown(call: MeteredCall): Promise<void> | undefined;
  /** Nothing is counted any more. */
  close(): Promise<void>;
}

/** Charges nothing. */
export const freeMeter: Meter = {
  price: () => 0,
  reserve: (call) => ({ call, micros: 0 }),
  priceOf: () => 0,
  release: () => undefined,
  abandon: () => undefined,
  hold: () => undefined,
  disown: () => undefined,
  close: async () => {},
};

/** The call as its price depends on it. */
export const meteredOf = ({ id, at, actor, record, priceMicros }: Call): MeteredCall => ({
  id,
  tenant: actor.tenant,
  keyId: actor.keyId,
  tool: record.spec.name,
  version: record.version,
  implementation: record.spec.implementation,
  at,
  priceMicros,
  quota: actor.key?.quota,
  timeoutMs: timeoutMsOf(record),
});

/** Reserves the price before the call runs; one that fails is not charged, one refused further in leaves no trace. */
export const chargeCalls: CallLayer = async (context, call, next) => {
  const { meter } = context;
  // The price of its plan included the nodes.
  if (call.actor.onBehalfOf !== undefined) return { ...(await next(call)), chargedMicros: 0 };
  const metered = meteredOf(call);
  const reserving = meter.reserve(metered);
  const reservation = reserving instanceof Promise ? await reserving : reserving;
  if (reservation.remaining) call.options.metered?.(reservation.remaining);
  try {
    const result = await next(call);
    if (result.status === 'failed') await spendTime(context, call, result);
    return { ...result, chargedMicros: meter.priceOf(reservation, result), reservation };
  } catch (thrown) {
    if (!isLost(call)) await meter.abandon(reservation);
    throw thrown;
  }
};

const MS_A_REQUEST = 100;

/** A failed call is free, so its CPU time counts as requests against the rate: failing must not be free computing. */
const spendTime = async ({ spendRate }: LayerContext, { actor }: Call, { usage }: CallResult): Promise<void> => {
  const requests = Math.floor(usage.cpuMs / MS_A_REQUEST);
  if (requests > 0) await spendRate?.(actor, requests);
};
