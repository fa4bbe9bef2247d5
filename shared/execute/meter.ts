import type { CallLayer } from './call.ts';

/** What a price depends on. */
export interface MeteredCall {
  readonly id: string;
  readonly tenant: string;
  readonly keyId: string;
  readonly tool: string;
  readonly version: string;
  /** Absent when the definition names no price. */
  readonly priceMicros?: number;
  /** When the call was made, in milliseconds since 1970. */
  readonly at: number;
}

/** What was taken out of the quota beforehand; the meter's own, handed back to it when the call has ended. */
export interface Reservation {
  readonly call: MeteredCall;
  readonly micros: number;
}

/** How a call ended, as far as its price depends on it. A call that was refused further in has `failed`. */
export interface Settled {
  readonly status: 'ok' | 'failed';
  readonly cached: boolean;
}

/** Charges calls: reserved before anything runs, settled once however the call ends. */
export interface Meter {
  /** Refuses with `PaymentRequired` or `RateLimited` what the key may not spend. */
  reserve(call: MeteredCall): Reservation | Promise<Reservation>;
  /** Gives back what is not charged, and says how much was. */
  settle(reservation: Reservation, settled: Settled): number | Promise<number>;
}

/** Charges nothing. */
export const freeMeter: Meter = {
  reserve: (call) => ({ call, micros: 0 }),
  settle: () => 0,
};

/** Reserves the price before the call runs; a call that fails or is refused further in gives it back. */
export const chargeCalls: CallLayer = async ({ meter }, call, next) => {
  const { spec, version } = call.record;
  const metered: MeteredCall = {
    id: call.id,
    tenant: call.actor.tenant,
    keyId: call.actor.keyId,
    tool: spec.name,
    version,
    at: call.at,
    ...(spec.price_micros === undefined ? {} : { priceMicros: spec.price_micros }),
  };
  const reserving = meter.reserve(metered);
  const reservation = reserving instanceof Promise ? await reserving : reserving;
  try {
    const ran = await next(call);
    return { ...ran, chargedMicros: await meter.settle(reservation, ran) };
  } catch (thrown) {
    await meter.settle(reservation, { status: 'failed', cached: false });
    throw thrown;
  }
};
