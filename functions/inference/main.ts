import { runBatch } from './batch.ts';

// process.exit, because pending work would delay the end of the machine.
process.exit(await runBatch());
