import { lazily } from '../../kernel/lazily.ts';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import { createSafeFetch, type SafeFetchOptions } from './safe-fetch.ts';

/** A safe fetch that is created by its first request, because loading sockets and DNS would slow every start down. */
export const laterFetch = (options: SafeFetchOptions): SafeFetch => {
  const fetch = lazily(() => createSafeFetch(options));
  return (url, init, limits) => fetch()(url, init, limits);
};
