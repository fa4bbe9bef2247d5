import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { type GiveUpContext, giveUpUpload } from '../../shared/uploads/give-up-upload.ts';
import { readObjectCreated } from '../../shared/uploads/object-event.ts';

/** The fields used of Lambda's event about an invocation whose retries are used up. */
const UsedUp = z.looseObject({
  requestContext: z.looseObject({ requestId: z.string(), approximateInvokeCount: z.number() }),
  requestPayload: z.unknown(),
  responsePayload: z.looseObject({ errorMessage: z.string() }).nullish(),
});

/** Records the picture of such an event as failed with the reason, so that it does not stay pending forever. */
export const recordUsedUp = (context: GiveUpContext, event: unknown): Promise<boolean> => {
  const { requestContext, requestPayload, responsePayload } = UsedUp.parse(event);
  const { requestId: delivery, approximateInvokeCount: times } = requestContext;
  const object = { ...readObjectCreated(requestPayload), delivery };
  const said = responsePayload?.errorMessage ?? 'it ran out of memory or time';
  const text = `scoring ${object.key} ended its function ${times} times: ${said}; try a smaller picture`;
  return giveUpUpload(context, object, new Fault('ToolExecutionError', text, { image: object.key }));
};
