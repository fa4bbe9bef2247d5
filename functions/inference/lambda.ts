import { readObjectCreated } from '../../shared/uploads/object-event.ts';
import { scoreUpload, type UploadResult } from '../../shared/uploads/score-upload.ts';
import { inferenceDeps } from './deps.ts';

const context = await inferenceDeps();

/** The event that told of a picture, passed on by the upload function. What fails is thrown: Lambda tries again. */
export const handler = (event: unknown, { awsRequestId }: { readonly awsRequestId: string }): Promise<UploadResult> =>
  scoreUpload(context, { ...readObjectCreated(event), delivery: awsRequestId });
