import type { Upload } from './upload.ts';

/** The object an event reports. */
export interface StoredObject {
  readonly tenant: string;
  readonly key: string;
  readonly etag: string;
  /** S3's sequencer: the order of writes to one key, in hexadecimal; absent where the store has none. */
  readonly sequencer?: string | undefined;
  readonly size?: number | undefined;
  /** The same each time one event is redelivered: whoever had it before has given up or died. */
  readonly delivery?: string | undefined;
}

export type Claim =
  | { readonly todo: 'score'; readonly upload: Upload }
  /** Already done, in progress elsewhere, superseded by a newer object, or not requested. */
  | { readonly todo: 'nothing'; readonly why: 'done' | 'underway' | 'older' | 'unasked' }
  /** Failed permanently: thrown again each time, so that its event reaches the dead-letter queue. */
  | { readonly todo: 'refuse'; readonly error: NonNullable<Upload['error']> };

/** The lease of an attempt: after it another process may take over. */
const CLAIM_MS = 16 * 60_000;
/** The lease for a redelivery, shorter because only a duplicate delivery can come sooner. */
const REPEAT_MS = 30_000;

/** Decides whether an event needs work: the same object once, a newer one again, an older one never. */
export const claimUpload = (known: Upload | undefined, object: StoredObject, now: number, newId: string): Claim => {
  const upload = known ?? droppedByHand(object, now);
  const isSame = upload.etag === object.etag;
  if (upload.sequencer !== undefined && object.sequencer !== undefined && isOlder(object.sequencer, upload.sequencer))
    return { todo: 'nothing', why: 'older' };
  if (isSame && upload.status === 'failed') return { todo: 'refuse', error: upload.error ?? UNKNOWN };
  if (isSame && upload.status === 'scored')
    return { todo: 'nothing', why: upload.score === false ? 'unasked' : 'done' };
  if (isSame && upload.status === 'scoring' && now - (upload.claimed_at ?? 0) < patience(upload, object))
    return { todo: 'nothing', why: 'underway' };
  const { report: _, error: __, claimed_by: ___, ...rest } = upload;
  return {
    todo: 'score',
    upload: {
      ...rest,
      status: 'scoring',
      etag: object.etag,
      sequencer: object.sequencer,
      call_id: isSame && upload.call_id !== undefined ? upload.call_id : newId,
      attempts: isSame ? (upload.attempts ?? 0) + 1 : 1,
      claimed_at: now,
      claimed_by: object.delivery,
    },
  };
};

const patience = (upload: Upload, { delivery }: StoredObject): number =>
  delivery !== undefined && upload.claimed_by === delivery ? REPEAT_MS : CLAIM_MS;

const UNKNOWN = { code: 'Internal', message: 'it failed before' } as const;

// Sequencers differ in length: the shorter is padded before comparing.
const isOlder = (given: string, known: string): boolean => {
  const width = Math.max(given.length, known.length);
  return given.padStart(width, '0') < known.padStart(width, '0');
};

/** An image without an upload request belongs to the operator who put it there. */
export const droppedByHand = ({ key }: Pick<StoredObject, 'key'>, now: number): Upload => ({
  key,
  key_id: 'admin',
  status: 'pending',
  created_at: new Date(now).toISOString(),
});
