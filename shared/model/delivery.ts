import * as z from 'zod';
import { Lease } from '../kernel/lease.ts';
import { stored } from '../kernel/stored.ts';

/** The fields used of EventBridge's `Object Created` event from S3. Its keys are not URL-encoded. */
export const ObjectCreated = z.looseObject({
  'detail-type': z.literal('Object Created'),
  detail: z.looseObject({
    bucket: z.looseObject({ name: z.string() }),
    object: z.looseObject({
      key: z.string(),
      etag: z.string().optional(),
      size: z.number().optional(),
      sequencer: z.string().optional(),
    }),
  }),
});
export type ObjectCreated = z.infer<typeof ObjectCreated>;

/** An event that was received and is not finished, with the lease of the process that handles it. */
const Delivery = z.object({ id: z.string(), event: ObjectCreated, lease: Lease.optional() });
export type Delivery = Readonly<z.infer<typeof Delivery>>;

export const DeliveryItem = stored<Delivery>({ what: 'delivery of an upload', schema: Delivery });

export const tenantOfDelivery = ({ event }: Pick<Delivery, 'event'>): string =>
  event.detail.object.key.split('/')[1] ?? '';
