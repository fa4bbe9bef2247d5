import type { Outcome } from '../model/call.ts';
import type { Tool } from '../model/tool.ts';
import type { Call, CallLayer, CallResult, LayerContext } from './call.ts';
import { isLost } from './earlier-call.ts';
import { timeoutMsOf } from './run-handler.ts';

/** A key's monthly limits. */
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

/** A call as far as its price depends on it. */
export interface MeteredCall {
  readonly id: string;
  readonly tenant: string;
  readonly keyId: string;
  readonly tool: string;
  readonly version: string;
  /** The implementation: a handler's price in the list is the minimum. */
  readonly implementation?: Tool['implementation'];
  /** The definition's own price; without it the price list applies. */
  readonly priceMicros?: number | undefined;
  /** The key's quota, if it has one. */
  readonly quota?: Quota | undefined;
  /** When the call was made, in milliseconds since 1970. */
  readonly at: number;
  /** The timeout of the call. */
  readonly timeoutMs: number;
}

/** A reservation against the quota; opaque, returned to the meter when the call ends. */
export interface Reservation {
  readonly call: MeteredCall;
  readonly micros: number;
  readonly quota?: Quota;
  readonly remaining?: Remaining;
  /** The latest recount of the quota when the call was counted. */
  readonly recounts?: number;
  /** Set when the call was taken over from a process that may have counted it too. */
  readonly isCountedAgain?: true;
}

/** The parts of a call's result that its price depends on. A call refused by an inner layer is `failed`. */
export interface Settled {
  readonly status: Outcome['status'];
  readonly cached: boolean;
  /** The actual price, where it is less than the reservation. */
  readonly actualMicros?: number | undefined;
}

/**
 * Charges calls: the price is reserved before the call runs and settled by its record, which can be written only once.
 */
export interface Meter {
  /** What a call would be charged if it succeeded and was not cached. */
  price(call: MeteredCall): number;
  /** Refuses with `PaymentRequired` or `RateLimited` when the key's limits are used up. */
  reserve(call: MeteredCall): Reservation | Promise<Reservation>;
  /** The price of a call with this result. */
  priceOf(reservation: Reservation, settled: Settled): number;
  /** Returns the unused part of a reservation, once the call's record is stored; `counted` comes from the recorder. */
  release(
    reservation: Reservation,
    ended: { readonly status: Outcome['status']; readonly chargedMicros: number },
    counted?: number,
  ): Promise<void> | undefined;
  /** Returns the whole reservation and removes it from the ledger. */
  abandon(reservation: Reservation): Promise<void> | undefined;
  /** Registers, beforehand, that this process will end a call that another process has reserved. */
  hold(call: MeteredCall): Promise<void> | undefined;
  /** Recounts the quota, so that what another process counted for a call that was ended here is returned. */
  disown(call: MeteredCall): Promise<void> | undefined;
  /** Stops counting. */
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

/** The parts of a call that its price depends on. */
export const toMetered = ({ id, at, actor, record, priceMicros }: Call): MeteredCall => ({
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

/**
 * Reserves the price before the call runs. A failed call is not charged; one refused by an inner layer leaves no trace.
 */
export const chargeCalls: CallLayer = async (context, call, next) => {
  const { meter } = context;
  // The price of a plan includes its nodes.
  if (call.actor.onBehalfOf !== undefined) return { ...(await next(call)), chargedMicros: 0 };
  const metered = toMetered(call);
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

/**
 * Failed calls are free, so their CPU time is counted as requests against the key's rate: failing must not give free
 * computing time.
 */
const spendTime = async ({ spendRate }: LayerContext, { actor }: Call, { usage }: CallResult): Promise<void> => {
  const requests = Math.floor(usage.cpuMs / MS_A_REQUEST);
  if (requests > 0) await spendRate?.(actor, requests);
};
