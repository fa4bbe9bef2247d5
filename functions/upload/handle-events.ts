import * as z from 'zod';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { StoredObject } from '../../shared/uploads/claim.ts';
import { readObjectCreated } from '../../shared/uploads/object-event.ts';
import type { Received } from '../../shared/uploads/receive-uploads.ts';
import { type FailedJob, readFailedJob } from './failed-job.ts';

/** The fields used of a batch of queue messages. */
const QueueBatch = z.looseObject({
  Records: z
    .array(z.looseObject({ messageId: z.string(), body: z.string(), eventSource: z.literal('aws:sqs') }))
    .min(1),
});

/** The messages of a batch to deliver again; the others are done. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

interface Ports {
  /** Scores the pictures of a failed job on machines without a GPU, if there are any. */
  readonly scoreWithoutGpu?: ((job: FailedJob) => Promise<void>) | undefined;
  readonly receive: (objects: readonly StoredObject[]) => Promise<readonly Received[]>;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * Handles one event of EventBridge, or a batch of them from a queue. A failing single event is thrown, so that Lambda
 * retries it; of a batch, only failed messages are delivered again.
 */
export const handleEvents = async (
  ports: Ports,
  event: unknown,
  requestId: string,
): Promise<BatchAnswer | undefined> => {
  const batch = QueueBatch.safeParse(event);
  if (batch.success) return handleBatch(ports, batch.data.Records);
  const failed = ports.scoreWithoutGpu && readFailedJob(event);
  if (failed) {
    ports.warn('job failed, its pictures are scored without a GPU', { ...failed });
    await ports.scoreWithoutGpu?.(failed);
    return undefined;
  }
  // Lambda retries a failed event with the same request id.
  const [received] = await ports.receive([{ ...readObjectCreated(event), delivery: requestId }]);
  if (received && 'thrown' in received) throw received.thrown;
  return undefined;
};

const handleBatch = async (
  { receive, warn }: Ports,
  records: readonly { readonly messageId: string; readonly body: string }[],
): Promise<BatchAnswer> => {
  const read = records.map(({ messageId, body }) => readMessage(messageId, body));
  const objects = read.flatMap((each) => ('object' in each ? [each.object] : []));
  const received = objects.length === 0 ? [] : await receive(objects);
  const byDelivery = new Map(objects.map(({ delivery }, index) => [delivery, received[index]]));
  const failures = read.flatMap((each) => {
    const answer = 'thrown' in each ? each : byDelivery.get(each.object.delivery);
    if (!answer || !('thrown' in answer)) return [];
    warn('queue message not handled', { message: each.messageId, error: messageOf(answer.thrown) });
    return [{ itemIdentifier: each.messageId }];
  });
  return { batchItemFailures: failures };
};

type ReadMessage =
  | { readonly messageId: string; readonly object: StoredObject }
  | { readonly messageId: string; readonly thrown: unknown };

const readMessage = (messageId: string, body: string): ReadMessage => {
  try {
    return { messageId, object: { ...readObjectCreated(JSON.parse(body)), delivery: messageId } };
  } catch (thrown) {
    return { messageId, thrown };
  }
};
