import type { Fault } from '../kernel/errors.ts';
import { freeLease } from '../kernel/lease.ts';
import type { StoredObject } from './claim.ts';
import { finishUpload } from './finish-upload.ts';
import { claimObject, type UploadContext } from './score-upload.ts';
import type { Upload } from './upload.ts';

export type GiveUpContext = Pick<UploadContext, 'table' | 'blobs' | 'clock' | 'random'>;

/**
 * Records a picture as failed whose function ended on its last try, when nobody is left to do so; tells whether it
 * did. One that has its scores, was replaced, or is at work under another delivery stays as it is.
 */
export const giveUpUpload = async (
  context: GiveUpContext,
  object: StoredObject,
  { code, message }: Fault,
): Promise<boolean> => {
  const { claim } = await claimObject(context, object, (known) => afterLastTry(known, object));
  if (claim.todo !== 'score') return false;
  const { upload } = claim;
  const attempts = Math.max(1, (upload.attempts ?? 1) - 1);
  const failed = { ...upload, attempts, status: 'failed', error: { code, message } } as const;
  await finishUpload(context, object.tenant, failed, () => false);
  return true;
};

/** The last try of this delivery is over by now, though its lease may not be. */
const afterLastTry = (known: Upload, { delivery }: StoredObject): Upload =>
  known.lease && known.claimed_by === delivery ? { ...known, lease: freeLease(known.lease) } : known;
