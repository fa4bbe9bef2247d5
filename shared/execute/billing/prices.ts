import * as z from 'zod';
import { Fault } from '../../kernel/errors.ts';
import type { Tool } from '../../model/tool.ts';

const Micros = z.int().nonnegative();

/** The price list, in millionths of a dollar. A tool's own definition takes precedence. */
export const Prices = z.strictObject({
  operations: z.record(z.string(), Micros),
  tools: z.record(z.string(), Micros),
  /** The price of a cached answer, as a share of the full price. */
  cached_share: z.number().min(0).max(1),
});
export type Prices = Readonly<z.infer<typeof Prices>>;

export const parsePrices = (value: unknown, file: string): Prices => {
  const parsed = Prices.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault('InvalidInput', `${file}: ${issue?.path.join('.')} ${issue?.message}`, { file });
};

/** What a price depends on: the tool and its handler. */
type Priced = Pick<Tool, 'name' | 'price_micros' | 'implementation'>;

/**
 * The price of a tool; undefined when none is set, which is not the same as free. A definition may cost more than its
 * handler's price in the list, never less.
 */
export const priceOf = (prices: Prices, { name, price_micros, implementation }: Priced): number | undefined => {
  const inList = listed(prices, name);
  if (price_micros === undefined && inList !== undefined) return inList;
  const least = implementation && 'handler' in implementation ? listed(prices, implementation.handler) : undefined;
  return least === undefined ? price_micros : Math.max(price_micros ?? 0, least);
};

const listed = ({ tools }: Prices, name: string): number | undefined =>
  Object.hasOwn(tools, name) ? tools[name] : undefined;

export const operationPrice = (prices: Prices | undefined, operation: string): number =>
  prices && Object.hasOwn(prices.operations, operation) ? (prices.operations[operation] ?? 0) : 0;

/** The charge for an answer: whole millionths, never more than the price. */
export const computeCharge = (prices: Prices, price: number, cached: boolean): number =>
  cached ? Math.floor(price * prices.cached_share) : price;
