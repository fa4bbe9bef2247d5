import { runBatch } from './batch.ts';

// process.exit, because work in progress would delay the end of the machine.
process.exit(await runBatch());
