import { receiveUploads } from '../../shared/uploads/receive-uploads.ts';
import { uploadDeps } from './deps.ts';
import { type BatchAnswer, handleEvents } from './handle-events.ts';

const context = await uploadDeps();

/** Handles S3's `Object Created`, directly or through a queue, and failed GPU jobs. */
export const handler = (
  event: unknown,
  { awsRequestId }: { readonly awsRequestId: string },
): Promise<BatchAnswer | undefined> =>
  handleEvents(
    {
      receive: (objects) => receiveUploads(context, objects),
      scoreWithoutGpu: context.scoreWithoutGpu,
      warn: context.log.warn,
    },
    event,
    awsRequestId,
  );
