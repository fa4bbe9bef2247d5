import { readObjectCreated } from '../../shared/uploads/object-event.ts';
import { scoreUpload, type UploadResult } from '../../shared/uploads/score-upload.ts';
import { inferenceDeps } from './deps.ts';

const context = await inferenceDeps();

/** The picture's event, passed on by the upload function. Failures are thrown, so that Lambda retries. */
export const handler = (event: unknown, { awsRequestId }: { readonly awsRequestId: string }): Promise<UploadResult> =>
  scoreUpload(context, { ...readObjectCreated(event), delivery: awsRequestId });
