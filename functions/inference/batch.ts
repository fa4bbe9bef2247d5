import { availableParallelism } from 'node:os';
import { requireProviders } from '../../shared/adapters/onnx/require-providers.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { type BatchDeps, batchDeps } from './deps.ts';
import { watchDrain } from './drain.ts';
import { workThrough } from './work-through.ts';

/** Exit codes: Batch retries only a drained job (EX_TEMPFAIL in sysexits). */
export const DONE = 0;
export const BROKEN = 1;
export const DRAINED = 75;

/**
 * Scores the pictures of a job's manifest; returns the exit code. A failing picture does not fail the job; an
 * interrupted one is left to the next attempt.
 */
export const runBatch = async (deps: () => Promise<BatchDeps> = batchDeps): Promise<number> => {
  let open: BatchDeps;
  try {
    open = await deps();
    // Before any picture is claimed: a machine without its GPU must not record them as failed.
    await requireProviders(open.providers);
  } catch (thrown) {
    process.stdout.write(`${JSON.stringify({ level: 'error', message: messageOf(thrown) })}\n`);
    return BROKEN;
  }
  const { scoring, manifest, job, spotNotice } = open;
  const drain = watchDrain({ log: scoring.log, signals: process, spotNotice });
  try {
    const atOnce = Math.max(2, Math.ceil(availableParallelism() / 2));
    const report = await workThrough(scoring, { manifest, job, drain: drain.signal, atOnce });
    const { failed, ...counts } = report;
    scoring.log.info('job ended', { ...counts, failed: failed.length });
    if (report.left > 0) return DRAINED;
    await scoring.close();
    return DONE;
  } catch (thrown) {
    scoring.log.error('job not done', { job, manifest, error: messageOf(thrown) });
    return BROKEN;
  } finally {
    drain.stop();
  }
};
