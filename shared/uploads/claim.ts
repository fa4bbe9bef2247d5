import type { Upload } from './upload.ts';

/** The object an event tells of. */
export interface StoredObject {
  readonly tenant: string;
  readonly key: string;
  readonly etag: string;
  /** S3's order of writes to one key, in hexadecimal; absent where the store has none. */
  readonly sequencer?: string | undefined;
  readonly size?: number | undefined;
  /** The same each time one event is delivered again: whoever had it before has given up or died. */
  readonly delivery?: string | undefined;
}

export type Claim =
  | { readonly todo: 'score'; readonly upload: Upload }
  /** Done already, somebody is at it, a newer object has come, or nobody asked. */
  | { readonly todo: 'nothing'; readonly why: 'done' | 'underway' | 'older' | 'unasked' }
  /** It failed for good: said again each time, so that its event ends with the dead letters. */
  | { readonly todo: 'refuse'; readonly error: NonNullable<Upload['error']> };

/** How long an attempt may take before another process may take it over. */
const CLAIM_MS = 16 * 60_000;
/** The same for a delivery that is repeated; only one that came twice at once is sooner. */
const REPEAT_MS = 30_000;

/** Decides whether an event is work: the same object once, a newer one again, an older one never. */
export const claimUpload = (known: Upload | undefined, object: StoredObject, now: number, newId: string): Claim => {
  const upload = known ?? droppedByHand(object, now);
  if (upload.score === false) return { todo: 'nothing', why: 'unasked' };
  const isSame = upload.etag === object.etag;
  if (upload.sequencer !== undefined && object.sequencer !== undefined && isOlder(object.sequencer, upload.sequencer))
    return { todo: 'nothing', why: 'older' };
  if (isSame && upload.status === 'failed') return { todo: 'refuse', error: upload.error ?? UNKNOWN };
  if (isSame && upload.status === 'scored') return { todo: 'nothing', why: 'done' };
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

// Sequencers are numbers of differing length: the shorter is filled up before comparing.
const isOlder = (given: string, known: string): boolean => {
  const width = Math.max(given.length, known.length);
  return given.padStart(width, '0') < known.padStart(width, '0');
};

/** A picture that nobody announced belongs to the operator, who put it there. */
export const droppedByHand = ({ key }: Pick<StoredObject, 'key'>, now: number): Upload => ({
  key,
  key_id: 'admin',
  status: 'pending',
  created_at: new Date(now).toISOString(),
});
