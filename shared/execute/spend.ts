import { Fault } from '../kernel/errors.ts';
import type { Permission } from '../model/tool.ts';
import type { CallLayer } from './call.ts';
import { toMetered } from './meter.ts';

/** The price of a call that is not made. */
export interface Quote {
  readonly dry_run: true;
  readonly tool: string;
  readonly version?: string;
  readonly permission?: Permission;
  readonly tools?: readonly string[];
  /** The price of a success that is not cached. */
  readonly price_micros: number;
  /** Whether `max_micros` would allow it. */
  readonly within_max: boolean;
}

export const makeQuote = (tool: string, price_micros: number, maxMicros = Number.POSITIVE_INFINITY): Quote => ({
  dry_run: true,
  tool,
  price_micros,
  within_max: price_micros <= maxMicros,
});

/** Refuses a call that costs more than its caller allows, before consent is requested and anything is reserved. */
export const limitSpend: CallLayer = (context, call, next) => {
  const { maxMicros } = call.options;
  // The nodes of a plan are charged with their plan.
  if (maxMicros === undefined || call.actor.onBehalfOf !== undefined) return next(call);
  const price = context.meter.price(toMetered(call));
  if (price <= maxMicros) return next(call);
  const { name } = call.record.spec;
  throw new Fault(
    'PaymentRequired',
    `${name} costs ${price} micro-dollars and max_micros allows ${maxMicros}; nothing ran and nothing was charged`,
    { tool: name, price_micros: price, max_micros: maxMicros },
  );
};
