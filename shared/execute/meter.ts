import type { Outcome } from '../model/call.ts';
import type { Tool } from '../model/tool.ts';
import type { Call, CallLayer, CallResult, LayerContext } from './call.ts';
import { isLost } from './earlier-call.ts';

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
}

/** A reservation against the quota; opaque, returned to the meter when the call ends. */
export interface Reservation {
  readonly call: MeteredCall;
  readonly micros: number;
  readonly quota?: Quota;
  readonly remaining?: Remaining;
}

/** How a call ended, as far as its price depends on it. A call refused by an inner layer is `failed`. */
export interface Settled {
  readonly status: Outcome['status'];
  readonly cached: boolean;
  /** The actual price, where it is less than the reservation. */
  readonly actualMicros?: number | undefined;
}

/** Charges calls: reserved before anything runs, settled exactly once. */
export interface Meter {
  /** What a call would be charged if it succeeded and was not cached. */
  price(call: MeteredCall): number;
  /** Refuses with `PaymentRequired` or `RateLimited` when the key's limits are used up. */
  reserve(call: MeteredCall): Reservation | Promise<Reservation>;
  /** Releases what is not charged, and returns the charge. */
  settle(reservation: Reservation, settled: Settled): number | Promise<number>;
}

/** Charges nothing. */
export const freeMeter: Meter = {
  price: () => 0,
  reserve: (call) => ({ call, micros: 0 }),
  settle: () => 0,
};

/** The call as its price depends on it. */
export const meteredOf = ({ id, at, actor, record: { spec, version }, priceMicros }: Call): MeteredCall => ({
  id,
  tenant: actor.tenant,
  keyId: actor.keyId,
  tool: spec.name,
  version,
  implementation: spec.implementation,
  at,
  priceMicros,
  quota: actor.key?.quota,
});

/** Reserves the price before the call runs; a call that fails or is refused by an inner layer is refunded. */
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
    const settled = isLost(call) ? ({ status: 'failed', cached: false } as const) : result;
    return { ...result, chargedMicros: await meter.settle(reservation, settled) };
  } catch (thrown) {
    await meter.settle(reservation, { status: 'failed', cached: false });
    throw thrown;
  }
};

const MS_A_REQUEST = 100;

/** A failed call is free, so its CPU time counts as requests against the rate: failing must not be free computing. */
const spendTime = async ({ spendRate }: LayerContext, { actor }: Call, { usage }: CallResult): Promise<void> => {
  const requests = Math.floor(usage.cpuMs / MS_A_REQUEST);
  if (requests > 0) await spendRate?.(actor, requests);
};
