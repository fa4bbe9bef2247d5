import { takenOver } from '../execute/earlier-call.ts';
import { eventCountKey, scoresBlobKey, uploadKey } from '../kernel/item-keys.ts';
import { isHeld, releaseLease } from '../kernel/lease.ts';
import { put } from '../kernel/stored.ts';
import { appendEvents } from '../registry/events.ts';
import type { ClaimedUpload } from './claim.ts';
import type { UploadContext } from './score-upload.ts';
import { readUpload, UploadItem, viewUpload } from './upload.ts';

/**
 * Stores the result and releases the lease, unless another process has it by now. The scores are stored first, so that
 * an image marked as scored always has them.
 */
export const finishUpload = async (
  context: Pick<UploadContext, 'table' | 'blobs' | 'clock'>,
  tenant: string,
  upload: ClaimedUpload,
  isLost: () => boolean,
): Promise<void> => {
  const { table, blobs, clock } = context;
  const key = uploadKey(tenant, upload.key);
  const isAnnounced = (upload.status === 'scored' || upload.status === 'failed') && upload.score !== false;
  if (isLost()) throw takenOver({ id: upload.call_id ?? upload.key });
  // The tenant was deleted, or another process has the upload: scores stored now would stay for good.
  const before = await table.get(key);
  if (!before || !isHeld(readUpload(before).lease, upload.lease)) throw takenOver({ id: upload.call_id ?? upload.key });
  if (isAnnounced) {
    const text = JSON.stringify(viewUpload(upload), undefined, 2);
    await blobs.put(scoresBlobKey(tenant, upload.key), new TextEncoder().encode(text), 'application/json');
  }
  await table.change([key, eventCountKey(tenant)], ([item, count]) => {
    const known = item && readUpload(item);
    if (!known || !isHeld(known.lease, upload.lease)) return { writes: [], result: undefined };
    const event = {
      type: 'image-scored',
      at: new Date(clock.now()).toISOString(),
      tool: upload.key,
      reason: upload.status,
    } as const;
    const events = isAnnounced ? appendEvents(tenant, count, [event]) : [];
    // The call has another id if its reservation had lapsed.
    const ended = { ...upload, call_id: known.call_id, lease: releaseLease(upload.lease) };
    return { writes: [put(key, UploadItem, ended, item.expires), ...events], result: undefined };
  });
};
