import { usageFold } from './billing/usage.ts';
import type { Fold } from './registry/fold.ts';
import { statsFold } from './registry/stats.ts';

/** Every total that calls add up to, the same where they are folded at once and where a stream does it. */
export const callFolds: readonly Fold[] = [statsFold, usageFold];
