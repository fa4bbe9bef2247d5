import { lazily } from '../../kernel/lazily.ts';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import { createSafeFetch, type SafeFetchOptions } from './safe-fetch.ts';

/** The way out, made by the first request that takes it: with its sockets and names it is a part of every start else. */
export const laterFetch = (options: SafeFetchOptions): SafeFetch => {
  const fetch = lazily(() => createSafeFetch(options));
  return (url, init, limits) => fetch()(url, init, limits);
};
