import type { Fault } from '../kernel/errors.ts';
import { releaseLease } from '../kernel/lease.ts';
import type { StoredObject } from './claim.ts';
import { finishUpload } from './finish-upload.ts';
import { claimObject, type UploadContext } from './score-upload.ts';
import type { Upload } from './upload.ts';

export type GiveUpContext = Pick<UploadContext, 'table' | 'blobs' | 'clock' | 'random'>;

/**
 * Records a picture as failed whose function died on its last try; returns whether it did. A picture that has its
 * scores, was replaced, or is in progress under another delivery is left unchanged.
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

/** The delivery's last try has ended, even if its lease has not expired. */
const afterLastTry = (known: Upload, { delivery }: StoredObject): Upload =>
  known.lease && known.claimed_by === delivery ? { ...known, lease: releaseLease(known.lease) } : known;
