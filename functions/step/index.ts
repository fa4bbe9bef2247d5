import { lazyAsync } from '../../shared/kernel/lazily.ts';
import { stepDeps } from './deps.ts';
import { handleStep } from './handle.ts';

// Created by the first call, so that a failure to start is reported and the next call tries again.
const deps = lazyAsync(stepDeps);

/** Lambda's handler for the states of plans. */
export const handler = async (event: unknown): Promise<unknown> => handleStep(await deps(), event);
