import { getCompileCacheDir } from 'node:module';

/**
 * Of the C library: memory that was freed is given back. By default each thread has a heap of its own that only grows, and
 * a process that worked on large pictures keeps twice what it needs.
 */
const GIVES_BACK = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: String(2 ** 20) };

/**
 * The environment of a process that does work for a caller: all of ours may be secret to it. Where this process keeps
 * compiled modules the child finds its own, and starts in half the time.
 */
export const cleanEnvironment = (): NodeJS.ProcessEnv => {
  const folder = getCompileCacheDir();
  return folder === undefined ? { ...GIVES_BACK } : { ...GIVES_BACK, NODE_COMPILE_CACHE: folder };
};
