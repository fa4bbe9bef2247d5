import { giveUpDeps } from './deps.ts';
import { recordUsedUp } from './record-used-up.ts';

const context = giveUpDeps();

/** Hears of the pictures at which the functions that score ended until their tries were used up. */
export const handler = (event: unknown): Promise<boolean> => recordUsedUp(context, event);
