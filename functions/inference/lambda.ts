import { readObjectCreated } from '../../shared/uploads/object-event.ts';
import { scoreUpload, type UploadResult } from '../../shared/uploads/score-upload.ts';
import { inferenceDeps } from './deps.ts';

const context = await inferenceDeps();

/** Scores the picture of an event that the upload function sent on. Failures are thrown, so that Lambda retries. */
export const handler = (event: unknown, { awsRequestId }: { readonly awsRequestId: string }): Promise<UploadResult> =>
  scoreUpload(context, { ...readObjectCreated(event), delivery: awsRequestId });
