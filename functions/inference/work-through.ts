import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../shared/kernel/errors.ts';
import { jobReportBlobKey } from '../../shared/kernel/item-keys.ts';
import type { StoredObject } from '../../shared/uploads/claim.ts';
import { readManifest } from '../../shared/uploads/manifest.ts';
import {
  MAX_ATTEMPTS,
  scoreUpload,
  secondsUntilFree,
  secondsUntilRoom,
  type UploadContext,
} from '../../shared/uploads/score-upload.ts';

export interface JobOptions {
  readonly manifest: string;
  /** The same for every attempt of the job, so that its own unfinished pictures are resumed at once. */
  readonly job: string;
  /** Aborted when the machine will be reclaimed: pictures in progress are finished, and no more are started. */
  readonly drain: AbortSignal;
  /** The number of pictures at a time. */
  readonly atOnce: number;
  /** How long pictures in progress may take after that. */
  readonly graceMs?: number;
}

export interface JobReport {
  readonly v: 1;
  readonly job: string;
  readonly images: number;
  readonly scored: number;
  /** Done before, by an earlier attempt or another process. */
  readonly skipped: number;
  readonly failed: readonly { readonly tenant: string; readonly key: string; readonly reason: string }[];
  /** Not started or not finished in time; another attempt continues with them. */
  readonly left: number;
}

// Batch gives a container 30 s between SIGTERM and its end.
const GRACE_MS = 25_000;

/**
 * Scores the pictures of a manifest. Each is stored and charged when it is done, so an interrupted attempt loses only
 * the pictures in progress, and the next one continues after them.
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

/** Tries until the picture is scored or has failed permanently, as event redelivery would. */
const scoreOne = async (context: UploadContext, image: StoredObject, drain: AbortSignal): Promise<One> => {
  let reason = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; ) {
    try {
      const scored = await scoreUpload(context, image);
      if (scored === 'underway') context.log.warn('image is scored elsewhere', { image: image.key });
      return { outcome: scored === 'scored' ? 'scored' : 'skipped', reason };
    } catch (thrown) {
      reason = messageOf(thrown);
      // Waiting for memory, or for the end of an earlier try, is no attempt.
      const seconds = secondsUntilRoom(thrown) ?? secondsUntilFree(thrown);
      if (seconds === undefined) attempt++;
      else await pause(seconds * 1000, drain);
      if (drain.aborted) return { outcome: 'left', reason };
    }
  }
  return { outcome: 'failed', reason };
};

/** Waits, but not longer than until draining starts. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => {});

const afterDrain = (drain: AbortSignal, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const wait = () => void setTimeout(resolve, graceMs).unref();
    if (drain.aborted) wait();
    else drain.addEventListener('abort', wait, { once: true });
  });
