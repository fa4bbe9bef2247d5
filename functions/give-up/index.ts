import { giveUpDeps } from './deps.ts';
import { recordUsedUp } from './record-used-up.ts';

const context = giveUpDeps();

/** Receives pictures whose scoring function failed until all retries were used up. */
export const handler = (event: unknown): Promise<boolean> => recordUsedUp(context, event);
