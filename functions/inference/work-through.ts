import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../shared/kernel/errors.ts';
import { jobReportBlobKey } from '../../shared/kernel/item-keys.ts';
import type { StoredObject } from '../../shared/uploads/claim.ts';
import { readManifest } from '../../shared/uploads/manifest.ts';
import { MAX_ATTEMPTS, scoreUpload, secondsUntilFree, type UploadContext } from '../../shared/uploads/score-upload.ts';

export interface JobOptions {
  readonly manifest: string;
  /** The same for every attempt at the job: its own unfinished pictures are taken up at once. */
  readonly job: string;
  /** Aborted when the machine is going away: what is begun is ended, nothing more is begun. */
  readonly drain: AbortSignal;
  /** Pictures at a time. */
  readonly atOnce: number;
  /** How long what is begun may take once the machine is going away. */
  readonly graceMs?: number;
}

export interface JobReport {
  readonly v: 1;
  readonly job: string;
  readonly images: number;
  readonly scored: number;
  /** Done before: by an earlier attempt, or by somebody else. */
  readonly skipped: number;
  readonly failed: readonly { readonly tenant: string; readonly key: string; readonly reason: string }[];
  /** Not begun, or not ended in time; another attempt continues with them. */
  readonly left: number;
}

// Batch gives a container 30 s between SIGTERM and its end.
const GRACE_MS = 25_000;

/**
 * Scores the pictures of a manifest. Each is stored and charged as it is done, so an attempt that is cut off loses
 * the pictures at hand and the next one goes on after them.
 */
export const workThrough = async (context: UploadContext, options: JobOptions): Promise<JobReport> => {
  const { manifest, job, drain, atOnce, graceMs = GRACE_MS } = options;
  const { images } = readManifest(await context.blobs.get(manifest), manifest);
  const tally = { scored: 0, skipped: 0, failed: [] as JobReport['failed'][number][] };
  const queue = images.map((image): StoredObject => ({ ...image, delivery: job }));
  const report = (): JobReport => ({
    v: 1,
    job,
    images: images.length,
    ...tally,
    left: images.length - tally.scored - tally.skipped - tally.failed.length,
  });

  const worker = async (): Promise<void> => {
    for (let image = queue.shift(); image && !drain.aborted; image = queue.shift()) {
      const { outcome, reason } = await scoreOne(context, image, drain);
      if (outcome === 'left') continue;
      if (outcome === 'failed') tally.failed.push({ tenant: image.tenant, key: image.key, reason });
      else tally[outcome]++;
      const { failed, ...counts } = report();
      context.log.info('image done', {
        tenant: image.tenant,
        image: image.key,
        outcome,
        ...counts,
        failed: failed.length,
      });
    }
  };
  const workers = Promise.all(Array.from({ length: atOnce }, worker));
  await Promise.race([workers, afterDrain(drain, graceMs)]);
  const ended = report();
  const bytes = new TextEncoder().encode(JSON.stringify(ended, undefined, 2));
  await context.blobs.put(jobReportBlobKey(manifest), bytes, 'application/json');
  return ended;
};

interface One {
  readonly outcome: 'scored' | 'skipped' | 'failed' | 'left';
  readonly reason: string;
}

/** Tries until it is scored or has failed for good, as an event would be delivered again. */
const scoreOne = async (context: UploadContext, image: StoredObject, drain: AbortSignal): Promise<One> => {
  let reason = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      const scored = await scoreUpload(context, image);
      if (scored === 'underway') context.log.warn('image is scored elsewhere', { image: image.key });
      return { outcome: scored === 'scored' ? 'scored' : 'skipped', reason };
    } catch (thrown) {
      reason = messageOf(thrown);
      const seconds = secondsUntilFree(thrown);
      if (seconds !== undefined) await pause(seconds * 1000, drain);
      if (drain.aborted) return { outcome: 'left', reason };
    }
  }
  return { outcome: 'failed', reason };
};

/** Waits, at most until the machine is going away. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => {});

const afterDrain = (drain: AbortSignal, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const wait = () => void setTimeout(resolve, graceMs).unref();
    if (drain.aborted) wait();
    else drain.addEventListener('abort', wait, { once: true });
  });
