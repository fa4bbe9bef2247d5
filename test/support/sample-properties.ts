import fc from 'fast-check';
import { tries } from './sampling.ts';

/** Loaded before the tests of a whole suite: a property that does not say otherwise tries fewer values in a sample. */
fc.configureGlobal({ numRuns: tries(12, 100) });
