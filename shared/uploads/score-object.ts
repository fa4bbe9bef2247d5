import { knownKey, requireActive } from '../access/admit.ts';
import { findKey } from '../access/api-keys.ts';
import { loginActor } from '../access/token-actor.ts';
import { scorePictures } from '../execute/score-pictures.ts';
import type { ImageFile } from '../iqa/open-images.ts';
import { scoreImage } from '../iqa/score.ts';
import { Fault } from '../kernel/errors.ts';
import { callKey, imageBlobKey, uploadKey } from '../kernel/item-keys.ts';
import { changeWhileHeld } from '../kernel/leased-item.ts';
import { MAX_PICTURE_BYTES } from '../kernel/limits.ts';
import { put } from '../kernel/stored.ts';
import { type CallRecord, endedCall } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import type { ClaimedUpload, StoredObject } from './claim.ts';
import type { UploadContext } from './score-upload.ts';
import { type Upload, UploadItem } from './upload.ts';

/** Scores a claimed image as one call, however often it is attempted; returns the upload with its report. */
export const scoreOnce = async (
  context: UploadContext,
  object: StoredObject,
  claimed: ClaimedUpload,
  isLost: () => boolean,
  /** Whether processes died while scoring it: then it is first tried in a separate process. */
  isSuspect: boolean,
): Promise<ClaimedUpload> => {
  const { tenant } = object;
  if ((object.size ?? 0) > MAX_PICTURE_BYTES) throw tooLarge(object.key, object.size ?? 0);
  const image = await readImage(context, tenant, object.key);
  const { reference_key, tools, distortions } = claimed;
  const reference = reference_key === undefined ? undefined : await readImage(context, tenant, reference_key);
  const request = { image, reference, tools, distortions };
  if (isSuspect) await context.iqa.tryIsolated?.(request);
  const { row, upload } = await chargeableCall(context, tenant, claimed);
  // A process that died after charging left its ledger row, so the call is not charged again.
  if (row?.status === 'ok') {
    const report = await scoreImage(context.iqa, { ...request, tenant });
    return { ...upload, report: { ...report, charged_micros: row.charged_micros } };
  }
  const payer = await findPayer(context, tenant, upload);
  const id = upload.call_id ?? context.clock.newId();
  const report = await scorePictures(context, payer, request, undefined, { once: { id, isLost } });
  return { ...upload, report };
};

/**
 * The call that pays for an upload. If its reservation has lapsed, it was not charged; scoring the image is then a new
 * call, whose id is stored before anything is charged under it.
 */
const chargeableCall = async (
  context: UploadContext,
  tenant: string,
  upload: ClaimedUpload,
): Promise<{ readonly row?: CallRecord | undefined; readonly upload: ClaimedUpload }> => {
  const item = upload.call_id === undefined ? undefined : await context.table.get(callKey(tenant, upload.call_id));
  const row = endedCall(item);
  if (row?.status !== 'interrupted') return { row, upload };
  const renewed = { ...upload, call_id: context.clock.newId() };
  const key = uploadKey(tenant, upload.key);
  await changeWhileHeld(context, { key, kind: UploadItem }, upload.lease, (stored, expires) => [
    put(key, UploadItem, { ...stored, call_id: renewed.call_id }, expires),
  ]);
  return { upload: renewed };
};

const readImage = async ({ blobs }: UploadContext, tenant: string, key: string): Promise<ImageFile> => {
  const bytes = await blobs.get(imageBlobKey(tenant, key));
  if (!bytes) throw new Fault('NotFound', `the picture ${key} is no longer there`, { image: key });
  if (bytes.length > MAX_PICTURE_BYTES) throw tooLarge(key, bytes.length);
  return { bytes, name: key, key };
};

const tooLarge = (key: string, bytes: number): Fault =>
  new Fault('TooLarge', `the picture ${key} has ${bytes} bytes; the limit is ${MAX_PICTURE_BYTES}`, { image: key });

/** The key that pays; one that was revoked since the upload was announced pays for nothing more. */
const findPayer = async (
  { table, clock }: UploadContext,
  tenant: string,
  { key_id: keyId, login }: Upload,
): Promise<Actor> => {
  if (login) return loginActor(tenant, keyId, login);
  const key = keyId === 'admin' ? undefined : await findKey(table, keyId);
  return key
    ? { ...requireActive(knownKey(key), clock.now()), tenant }
    : { keyId, tenant, scopes: new Set(['invoke']) };
};

/** Also checks pictures that are only stored, not scored. */
export const checkPicture = async (context: UploadContext, { tenant, key }: StoredObject): Promise<void> => {
  const { bytes } = await readImage(context, tenant, key);
  const giveBack = await context.iqa.engine.reserve([{ bytes, name: key }], tenant);
  giveBack();
};

/** Called after the refusal is recorded, so that whoever misses the picture is told why. */
export const removeRefused = async (
  { blobs }: UploadContext,
  { tenant, key }: StoredObject,
  { score, error }: Pick<Upload, 'score' | 'error'>,
): Promise<void> => {
  if (score === false && ['InvalidInput', 'TooLarge'].includes(error?.code ?? ''))
    await blobs.remove(imageBlobKey(tenant, key));
};
