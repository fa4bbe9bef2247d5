import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A picture of more bytes than that is worth a collection of its own. */
export const HUGE_BYTES = 128 * 2 ** 20;

/**
 * Gives back buffers that nobody needs any more. V8 does not count shared and native memory, and an idle thread
 * collects nothing: each would keep the last pictures it saw for good.
 */
export const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};
