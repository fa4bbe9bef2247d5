import * as z from 'zod';
import { Fault } from '../../kernel/errors.ts';

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
  const parsed = Prices.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault('InvalidInput', `${file}: ${issue?.path.join('.')} ${issue?.message}`, { file });
};

/** The price of a tool; undefined when none is set, which is not the same as free. */
export const priceOf = (prices: Prices, tool: string, own: number | undefined): number | undefined =>
  own ?? (Object.hasOwn(prices.tools, tool) ? prices.tools[tool] : undefined);

export const operationPrice = (prices: Prices | undefined, operation: string): number =>
  prices && Object.hasOwn(prices.operations, operation) ? (prices.operations[operation] ?? 0) : 0;

/** The charge for an answer: whole millionths, never more than the price. */
export const chargeOf = (prices: Prices, price: number, cached: boolean): number =>
  cached ? Math.floor(price * prices.cached_share) : price;
