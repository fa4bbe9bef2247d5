import { runBatch } from './batch.ts';

// Not by waiting for the end: what is still at hand when the machine goes away would hold it up.
process.exit(await runBatch());
