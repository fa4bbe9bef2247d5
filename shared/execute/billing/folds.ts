import type { Fold } from '../../insight/fold.ts';
import { statsFold } from '../../insight/stats.ts';
import { usageFold } from './usage.ts';

/** Every total that calls add up to, the same where they are folded at once and where a stream does it. */
export const callFolds: readonly Fold[] = [statsFold, usageFold];
