import { acquireLease, LEASE_MS, type Lease, secondsLeft } from '../kernel/lease.ts';
import type { Upload } from './upload.ts';

/** The object an event reports. */
export interface StoredObject {
  readonly tenant: string;
  readonly key: string;
  readonly etag: string;
  /** S3's sequencer: the order of writes to one key, in hexadecimal; absent where the store has none. */
  readonly sequencer?: string | undefined;
  readonly size?: number | undefined;
  /** The delivery's id, the same when it is redelivered: then the process that had it before has given up or died. */
  readonly delivery?: string | undefined;
}

export type Claim =
  | { readonly todo: 'score'; readonly upload: ClaimedUpload }
  /** Already done, in progress under another delivery, superseded by a newer object, or not requested. */
  | { readonly todo: 'nothing'; readonly why: 'done' | 'underway' | 'older' | 'unasked' }
  /** The tenant was deleted: the object is removed, and nothing is stored about it. */
  | { readonly todo: 'nothing'; readonly why: 'deleted' }
  /**
   * An earlier try of the same delivery may still be running; reporting success would lose the event if that try fails.
   */
  | { readonly todo: 'wait'; readonly seconds: number }
  /** Failed permanently: thrown again each time, so that its event reaches the dead-letter queue. */
  | { readonly todo: 'refuse'; readonly score: boolean | undefined; readonly error: NonNullable<Upload['error']> };

export type ClaimedUpload = Upload & { readonly lease: Lease };

/**
 * A redelivery takes over from an owner that has missed three heartbeats; other deliveries wait until the lease
 * expires.
 */
const REDELIVERY_MS = 45_000;
/** Earlier releases sent no heartbeats: their attempts are left alone for the longest time that a function can run. */
const UNBEATEN_MS = 16 * 60_000;

/** Decides whether an event needs work: the same object once, a newer one again, an older one never. */
export const claimUpload = (
  known: Upload | undefined,
  object: StoredObject,
  now: number,
  { newId, owner }: { readonly newId: string; readonly owner: string },
): Claim => {
  const upload = known ?? unrequestedUpload(object, now);
  const isSame = upload.etag === object.etag;
  if (upload.sequencer !== undefined && object.sequencer !== undefined && isOlder(object.sequencer, upload.sequencer))
    return { todo: 'nothing', why: 'older' };
  if (isSame && upload.status === 'failed')
    return { todo: 'refuse', score: upload.score, error: upload.error ?? UNKNOWN };
  if (isSame && upload.status === 'scored')
    return { todo: 'nothing', why: upload.score === false ? 'unasked' : 'done' };
  const held = isSame && upload.status === 'scoring' ? leaseFor(upload, object) : undefined;
  const lease = acquireLease(held ?? { ...leaseFor(upload, object), until: 0 }, owner, now);
  if (held && lease === undefined)
    return isRedelivery(upload, object)
      ? { todo: 'wait', seconds: secondsLeft(held, now) }
      : { todo: 'nothing', why: 'underway' };
  if (lease === undefined) throw new Error('a lease that has ended can be taken');
  const { report: _, error: __, claimed_at: ___, ...rest } = upload;
  return {
    todo: 'score',
    upload: {
      ...rest,
      status: 'scoring',
      etag: object.etag,
      sequencer: object.sequencer,
      call_id: isSame && upload.call_id !== undefined ? upload.call_id : newId,
      attempts: isSame ? (upload.attempts ?? 0) + 1 : 1,
      failures: isSame ? upload.failures : undefined,
      claimed_by: object.delivery,
      lease,
    },
  };
};

/** The lease of the latest attempt, as it applies to this event. */
const leaseFor = (upload: Upload, object: StoredObject): Lease => {
  const { lease, claimed_at = 0 } = upload;
  if (lease) return isRedelivery(upload, object) ? { ...lease, until: lease.until - LEASE_MS + REDELIVERY_MS } : lease;
  const until = claimed_at + (isRedelivery(upload, object) ? REDELIVERY_MS : UNBEATEN_MS);
  return { owner: 'an earlier release', epoch: 1, until };
};

const isRedelivery = ({ claimed_by }: Upload, { delivery }: StoredObject): boolean =>
  delivery !== undefined && claimed_by === delivery;

const UNKNOWN = { code: 'Internal', message: 'it failed before' } as const;

// Sequencers differ in length, so the shorter one is padded.
const isOlder = (given: string, known: string): boolean => {
  const width = Math.max(given.length, known.length);
  return given.padStart(width, '0') < known.padStart(width, '0');
};

/** An image without an upload request was put there by the operator. */
export const unrequestedUpload = ({ key }: Pick<StoredObject, 'key'>, now: number): Upload => ({
  key,
  key_id: 'admin',
  status: 'pending',
  created_at: new Date(now).toISOString(),
});
