import { knownKey } from '../access/admit.ts';
import { findKey } from '../access/api-keys.ts';
import { type ScoreContext, scorePictures } from '../execute/score-pictures.ts';
import type { ImageFile } from '../iqa/open-images.ts';
import { scoreImage } from '../iqa/score.ts';
import { Fault, type FaultCode, messageOf, statusOf } from '../kernel/errors.ts';
import { callKey, eventCountKey, imageBlobKey, scoresBlobKey, uploadKey } from '../kernel/item-keys.ts';
import type { Blobs, Change, Item } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { continueTrace, type Tracer } from '../kernel/tracer.ts';
import { endedCall } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import { placeEvents } from '../registry/events.ts';
import { type Claim, claimUpload, type StoredObject } from './claim.ts';
import { settleStorage } from './storage.ts';
import { MAX_PICTURE_BYTES, type Upload, UploadItem, viewUpload } from './upload.ts';

export interface UploadContext extends ScoreContext {
  readonly blobs: Blobs;
  /** Follows uploads; without it they are not traced. */
  readonly tracer?: Tracer | undefined;
}

/** After this many attempts an image is recorded as failed, and its event goes to the dead-letter queue. */
export const MAX_ATTEMPTS = 3;

export type UploadResult = 'scored' | 'done' | 'underway' | 'older' | 'unasked';

/**
 * Scores an uploaded image exactly once, however often and in whatever order its events come. Throws on failure, so
 * that the event is retried or dead-lettered.
 */
export const scoreUpload = async (
  context: UploadContext,
  object: StoredObject,
  /** Whether another process may have taken this delivery over: then nothing is charged or written any more. */
  isLost: () => boolean = () => false,
): Promise<UploadResult> => {
  const { table, clock, log } = context;
  const key = uploadKey(object.tenant, object.key);
  const { claim, growth } = await table.change([key], ([item]): Change<Claimed> => {
    const known = item && uploadOf(item);
    const decided = claimUpload(known, object, clock.now(), clock.newId());
    if (decided.todo !== 'score') return { writes: [], result: { claim: decided } };
    const upload = { ...decided.upload, stored: object.size ?? known?.stored };
    return {
      writes: [put(key, UploadItem, upload, item?.expires)],
      result: { claim: { ...decided, upload }, growth: known && growthOf(known, object.size) },
    };
  });
  if (claim.todo === 'nothing') return claim.why;
  if (claim.todo === 'refuse') throw failedBefore(object, claim.error);
  if (growth) await settleStorage(context, object.tenant, growth.announced, growth.bytes);
  const attempts = claim.upload.attempts ?? 1;
  try {
    if (attempts > MAX_ATTEMPTS) throw killer(object.key, attempts - 1);
    if (claim.upload.score === false) {
      await checkPicture(context, object);
      await finish(context, object.tenant, { ...claim.upload, status: 'scored' });
      return 'unasked';
    }
    const { traceparent } = claim.upload;
    const report = await continueTrace(context.tracer, { name: 'score upload', traceparent }, () =>
      scoreOnce(context, object, claim.upload, isLost),
    );
    await finish(context, object.tenant, { ...claim.upload, status: 'scored', report });
    return 'scored';
  } catch (thrown) {
    if (isLost()) throw thrown;
    const isLast = attempts >= MAX_ATTEMPTS || isFinal(thrown);
    log.error('upload not scored', { tenant: object.tenant, image: object.key, attempts, error: messageOf(thrown) });
    const error = { code: thrown instanceof Fault ? thrown.code : 'Internal', message: messageOf(thrown) };
    await finish(context, object.tenant, { ...claim.upload, status: isLast ? 'failed' : 'pending', error });
    throw thrown;
  }
};

interface Claimed {
  readonly claim: Claim;
  /** What the object adds to its tenant's storage. */
  readonly growth?: ReturnType<typeof growthOf>;
}

/** What an object adds to its tenant's storage; one that was counted before adds the difference. */
const growthOf = ({ created_at, size, stored }: Upload, bytes: number | undefined) => {
  if (bytes === undefined || bytes === stored) return undefined;
  const reserved = stored === undefined ? (size ?? MAX_PICTURE_BYTES) : 0;
  return { announced: { at: Date.parse(created_at), bytes: reserved }, bytes: bytes - (stored ?? 0) };
};

/** A picture that is only stored is a picture too: what is none does not stay. */
const checkPicture = async (context: UploadContext, { tenant, key }: StoredObject): Promise<void> => {
  try {
    const { bytes } = await readImage(context, tenant, key);
    const giveBack = await context.iqa.engine.reserve([{ bytes, name: key }], tenant);
    giveBack();
  } catch (thrown) {
    if (thrown instanceof Fault && ['InvalidInput', 'TooLarge'].includes(thrown.code))
      await context.blobs.remove(imageBlobKey(tenant, key));
    throw thrown;
  }
};

export const failedBefore = ({ key }: StoredObject, { code, message }: NonNullable<Upload['error']>): Fault =>
  new Fault(Object.hasOwn(statusOf, code) ? (code as FaultCode) : 'Internal', message, { image: key });

/** Failed attempts are counted by their failures; these ended with their process. */
const killer = (key: string, attempts: number): Fault =>
  new Fault('ToolExecutionError', `scoring ${key} ended its process ${attempts} times; try a smaller picture`, {
    image: key,
  });

// A retry would give the same: it is not an image, or the key may not pay for it.
const isFinal = (thrown: unknown): boolean =>
  thrown instanceof Fault &&
  ['InvalidInput', 'TooLarge', 'PaymentRequired', 'Unauthenticated', 'NotFound'].includes(thrown.code);

const scoreOnce = async (
  context: UploadContext,
  object: StoredObject,
  upload: Upload,
  isLost: () => boolean,
): Promise<NonNullable<Upload['report']>> => {
  const { tenant } = object;
  if ((object.size ?? 0) > MAX_PICTURE_BYTES) throw tooLarge(object.key, object.size ?? 0);
  const image = await readImage(context, tenant, object.key);
  const reference =
    upload.reference_key === undefined ? undefined : await readImage(context, tenant, upload.reference_key);
  const request = { image, reference, tools: upload.tools, distortions: upload.distortions };
  // A process that died after charging left its ledger row, so it is not charged again.
  const item = upload.call_id === undefined ? undefined : await context.table.get(callKey(tenant, upload.call_id));
  const row = endedCall(item);
  if (row?.status === 'ok') {
    const report = await scoreImage(context.iqa, { ...request, tenant });
    return { ...report, charged_micros: row.charged_micros };
  }
  const payer = await payerOf(context, tenant, upload.key_id);
  // One that was left until its reservation lapsed was not charged: scoring it is a new call.
  const known = row?.status === 'interrupted' ? undefined : upload.call_id;
  return scorePictures(context, payer, request, undefined, {
    once: { id: known ?? context.clock.newId(), isLost },
  });
};

const readImage = async ({ blobs }: UploadContext, tenant: string, key: string): Promise<ImageFile> => {
  const bytes = await blobs.get(imageBlobKey(tenant, key));
  if (!bytes) throw new Fault('NotFound', `the picture ${key} is no longer there`, { image: key });
  if (bytes.length > MAX_PICTURE_BYTES) throw tooLarge(key, bytes.length);
  return { bytes, name: key, key };
};

const tooLarge = (key: string, bytes: number): Fault =>
  new Fault('TooLarge', `the picture ${key} has ${bytes} bytes; the limit is ${MAX_PICTURE_BYTES}`, { image: key });

const payerOf = async ({ table }: UploadContext, tenant: string, keyId: string): Promise<Actor> => {
  const key = keyId === 'admin' ? undefined : await findKey(table, keyId);
  return key ? { ...knownKey(key).actor, tenant } : { keyId, tenant, scopes: new Set(['invoke']) };
};

/** Writes the result, unless a newer object was claimed meanwhile; the scores are still stored. */
const finish = async ({ table, blobs, clock }: UploadContext, tenant: string, upload: Upload): Promise<void> => {
  const key = uploadKey(tenant, upload.key);
  const isOver = upload.status === 'scored' || upload.status === 'failed';
  const written = await table.change([key, eventCountKey(tenant)], ([item, count]) => {
    const known = item && uploadOf(item);
    if (known?.call_id !== upload.call_id) return { writes: [], result: false };
    const event = {
      type: 'image-scored',
      at: new Date(clock.now()).toISOString(),
      tool: upload.key,
      reason: upload.status,
    } as const;
    const events = isOver && upload.score !== false ? placeEvents(tenant, count, [event]) : [];
    return { writes: [put(key, UploadItem, upload, item?.expires), ...events], result: true };
  });
  if (!written || !isOver || upload.score === false) return;
  const text = JSON.stringify(viewUpload(upload), undefined, 2);
  await blobs.put(scoresBlobKey(tenant, upload.key), new TextEncoder().encode(text), 'application/json');
};

export const uploadOf = (item: Item): Upload => read(item, UploadItem);
