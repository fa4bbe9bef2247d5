import fc from 'fast-check';
import { tries } from './sampling.ts';

/** Preloaded by test runs: properties without their own number of runs try fewer values in a sample. */
fc.configureGlobal({ numRuns: tries(12, 100) });
