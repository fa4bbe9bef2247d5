import { getCompileCacheDir } from 'node:module';

/**
 * The environment of a process that does work for a caller: all of ours may be secret to it. Where this process keeps
 * compiled modules the child finds its own, and starts in half the time.
 */
export const cleanEnvironment = (): NodeJS.ProcessEnv => {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
};
