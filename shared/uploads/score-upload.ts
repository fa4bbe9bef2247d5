import { deletionKeys, isDeleted } from '../access/deleted-tenant.ts';
import type { ScoreContext } from '../execute/score-pictures.ts';
import { Fault, messageOf } from '../kernel/errors.ts';
import { imageBlobKey, uploadKey } from '../kernel/item-keys.ts';
import { keepLease, newOwner } from '../kernel/leased-item.ts';
import { MAX_PICTURE_BYTES } from '../kernel/limits.ts';
import type { Blobs, Change, Item, Timers } from '../kernel/ports.ts';
import { put } from '../kernel/stored.ts';
import { continueTrace, type Tracer } from '../kernel/tracer.ts';
import { type Claim, type ClaimedUpload, claimUpload, type StoredObject } from './claim.ts';
import { finishUpload } from './finish-upload.ts';
import { failedBefore } from './refused-picture.ts';
import { checkPicture, removeRefused, scoreOnce } from './score-object.ts';
import { settleStorage } from './storage.ts';
import { readUpload, type Upload, UploadItem } from './upload.ts';

export interface UploadContext extends ScoreContext {
  readonly blobs: Blobs;
  readonly timers: Timers;
  /** Traces uploads; without it they are not traced. */
  readonly tracer?: Tracer | undefined;
}

/** After this many failures an image is recorded as failed, and its event goes to the dead-letter queue. */
export const MAX_ATTEMPTS = 3;
/**
 * Processes die for many reasons. After this many deaths the image is tried in a separate process, which shows whether
 * it is the cause.
 */
const SUSPECTED_LOST = 3;
/** Where there is no separate process, the image is considered the cause after this many deaths. */
const MAX_LOST = 10;

export type UploadResult = 'scored' | 'done' | 'underway' | 'older' | 'unasked' | 'deleted';

/**
 * Scores an uploaded image exactly once, however often and in whatever order its events come. Throws on failure, so
 * that the event is retried or dead-lettered.
 */
export const scoreUpload = async (
  context: UploadContext,
  object: StoredObject,
  /** Whether another process may have taken this delivery over: then nothing more is charged or written. */
  isDeliveryLost: () => boolean = () => false,
): Promise<UploadResult> => {
  const { claim, growth } = await claimObject(context, object);
  if (claim.todo === 'nothing') {
    if (claim.why === 'deleted') await context.blobs.remove(imageBlobKey(object.tenant, object.key));
    return claim.why;
  }
  if (claim.todo === 'wait') throw underway(object, claim.seconds);
  if (claim.todo === 'refuse') {
    await removeRefused(context, object, claim);
    throw failedBefore(object, claim.error);
  }
  if (growth) await settleStorage(context, object.tenant, growth.announced, growth.bytes);
  const item = { key: uploadKey(object.tenant, object.key), kind: UploadItem };
  const heartbeat = keepLease(context, item, claim.upload.lease);
  const isLost = (): boolean => isDeliveryLost() || heartbeat.isLost();
  try {
    return await scoreClaimed(context, object, claim.upload, isLost);
  } finally {
    heartbeat.stop();
  }
};

export const claimObject = async (
  { table, clock, random }: Pick<UploadContext, 'table' | 'clock' | 'random'>,
  object: StoredObject,
  /** Adjusts the stored state before the claim is decided; by default unchanged. */
  see: (known: Upload) => Upload = (known) => known,
): Promise<Claimed> => {
  const key = uploadKey(object.tenant, object.key);
  const ids = { newId: clock.newId(), owner: newOwner(random) };
  const decide = (item: Item | undefined): Change<Claimed> => {
    const known = item && see(readUpload(item));
    const claim = claimUpload(known, object, clock.now(), ids);
    if (claim.todo !== 'score') return { writes: [], result: { claim } };
    const upload = { ...claim.upload, stored: object.size ?? known?.stored };
    return {
      writes: [put(key, UploadItem, upload, item?.expires)],
      result: { claim: { ...claim, upload }, growth: known && measureGrowth(known, object.size) },
    };
  };
  const claimed = await table.change(
    [key],
    ([item]): Change<Claimed | undefined> => (item ? decide(item) : { writes: [], result: undefined }),
  );
  if (claimed) return claimed;
  // Put there by the operator, or announced by a tenant that was deleted since.
  return table.change([key, ...deletionKeys(object.tenant)], ([item, ...deletion]) =>
    !item && isDeleted(deletion)
      ? { writes: [], result: { claim: { todo: 'nothing', why: 'deleted' } } }
      : decide(item),
  );
};

const scoreClaimed = async (
  context: UploadContext,
  object: StoredObject,
  upload: ClaimedUpload,
  isLost: () => boolean,
): Promise<UploadResult> => {
  const { attempts = 1, failures = 0 } = upload;
  const lost = attempts - 1 - failures;
  const isBlamed = lost >= MAX_LOST && context.iqa.tryIsolated === undefined;
  try {
    if (isBlamed) throw killer(object.key, lost);
    if (upload.score === false) {
      await checkPicture(context, object);
      await finishUpload(context, object.tenant, { ...upload, status: 'scored' }, isLost);
      return 'unasked';
    }
    const { traceparent } = upload;
    const scored = await continueTrace(context.tracer, { name: 'score upload', traceparent }, () =>
      scoreOnce(context, object, upload, isLost, lost >= SUSPECTED_LOST),
    );
    await finishUpload(context, object.tenant, { ...scored, status: 'scored' }, isLost);
    return 'scored';
  } catch (thrown) {
    if (isLost()) throw thrown;
    if (secondsUntilRoom(thrown) !== undefined) {
      // Nothing was tried, so it counts neither as a failure nor as a death of the process.
      await finishUpload(context, object.tenant, { ...upload, status: 'pending', attempts: attempts - 1 }, isLost);
      throw thrown;
    }
    const isLast = failures + 1 >= MAX_ATTEMPTS || isBlamed || isFinal(thrown);
    const about = { tenant: object.tenant, image: object.key, attempts, error: messageOf(thrown) };
    context.log.error('upload not scored', about);
    const error = { code: thrown instanceof Fault ? thrown.code : 'Internal', message: messageOf(thrown) };
    const failed: ClaimedUpload = { ...upload, status: isLast ? 'failed' : 'pending', failures: failures + 1, error };
    await finishUpload(context, object.tenant, failed, isLost);
    await removeRefused(context, object, failed);
    throw thrown;
  }
};

interface Claimed {
  readonly claim: Claim;
  /** The bytes that the object adds to its tenant's storage. */
  readonly growth?: ReturnType<typeof measureGrowth>;
}

/** The bytes that an object adds to its tenant's storage; if an earlier version was counted, the difference. */
const measureGrowth = ({ created_at, size, stored }: Upload, bytes: number | undefined) => {
  if (bytes === undefined || bytes === stored) return undefined;
  const reserved = stored === undefined ? (size ?? MAX_PICTURE_BYTES) : 0;
  return { announced: { at: Date.parse(created_at), bytes: reserved }, bytes: bytes - (stored ?? 0) };
};

/** The answer to a redelivery while the first delivery may still be running: deliver again later. */
const underway = ({ key }: StoredObject, seconds: number): Fault =>
  new Fault('Conflict', `${key} is being scored by an earlier try of this delivery; deliver it again in ${seconds} s`, {
    underway: true,
    retry_after_seconds: seconds,
  });

/** The seconds to wait before redelivery, if that is what the error says. */
export const secondsUntilFree = (thrown: unknown): number | undefined =>
  thrown instanceof Fault && thrown.details.underway === true ? Number(thrown.details.retry_after_seconds) : undefined;

/** The seconds to wait if there was no memory for the picture, which is no failure of the picture. */
export const secondsUntilRoom = (thrown: unknown): number | undefined =>
  thrown instanceof Fault && thrown.code === 'RateLimited'
    ? Number(thrown.details.retry_after_seconds ?? 1)
    : undefined;

/** Attempts that ended with their process; attempts that failed are counted as failures. */
const killer = (key: string, attempts: number): Fault =>
  new Fault('ToolExecutionError', `scoring ${key} ended its process ${attempts} times; try a smaller picture`, {
    image: key,
  });

// A retry would fail the same way: it is not an image, or the key may not pay for it.
const isFinal = (thrown: unknown): boolean =>
  thrown instanceof Fault &&
  ['InvalidInput', 'TooLarge', 'PaymentRequired', 'Unauthenticated', 'NotFound'].includes(thrown.code);

/** Whether an object's failure is recorded; until then its event must be retried. */
export const hasFailed = async ({ table }: Pick<UploadContext, 'table'>, object: StoredObject): Promise<boolean> => {
  const item = await table.get(uploadKey(object.tenant, object.key));
  const upload = item && readUpload(item);
  return upload?.status === 'failed' && upload.etag === object.etag;
};
