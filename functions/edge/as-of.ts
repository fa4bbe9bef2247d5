import { type AsOf, asOfFile } from '../../shared/registry/published.ts';
import type { ReadJson } from './store.ts';

/**
 * Whether the edge may answer: `answer`; `ask` passes this one request to the origin, which renews the time; `pass`
 * while nothing proves that the published data is complete. Copies of files are at most 20 s old, so a revoked key is
 * refused within 60 s even when publishing has stopped.
 */
export type Currency = 'answer' | 'ask' | 'pass';

const READ_MS = 20_000;
const DUE_MS = 25_000;
const MAX_MS = 40_000;
/** How often the publisher's answer is checked and the origin asked again. */
const RETRY_MS = 2000;

export const createCurrency = (read: ReadJson, now: () => number): (() => Promise<Currency>) => {
  const last = { asOf: 0, read: 0, asked: 0 };
  return async () => {
    if (now() - last.asOf >= READ_MS && now() - last.read >= RETRY_MS) {
      last.read = now();
      last.asOf = (await read<AsOf>(asOfFile))?.as_of ?? 0;
    }
    const age = now() - last.asOf;
    if (age > MAX_MS) return 'pass';
    if (age < DUE_MS || now() - last.asked < RETRY_MS) return 'answer';
    last.asked = now();
    return 'ask';
  };
};
