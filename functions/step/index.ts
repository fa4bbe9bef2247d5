import { stepDeps } from './deps.ts';
import { handleStep } from './handle.ts';

// Made by the first call, so that a failure to start is answered and tried again, not kept.
let deps: ReturnType<typeof stepDeps> | undefined;

/** Lambda's handler for the states of plans. */
export const handler = async (event: unknown): Promise<unknown> => {
  deps ??= stepDeps();
  try {
    return await handleStep(await deps, event);
  } catch (thrown) {
    if (await hasFailed(deps)) deps = undefined;
    throw thrown;
  }
};

const hasFailed = (made: Promise<unknown>): Promise<boolean> =>
  made.then(
    () => false,
    () => true,
  );
