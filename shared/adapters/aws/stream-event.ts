import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { StreamChange } from '../../execute/fold-stream.ts';
import type { Item } from '../../kernel/ports.ts';
import { decodeItem } from './dynamo-items.ts';

type Image = Readonly<Record<string, AttributeValue>>;

/** A batch of the table's stream, as Lambda's event. */
export interface StreamEvent {
  readonly Records?: readonly StreamRecord[];
  /** Present only where the event source has a tumbling window. */
  readonly shardId?: string;
  readonly state?: Readonly<Record<string, unknown>>;
}

export interface StreamRecord {
  readonly eventID?: string;
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly userIdentity?: { readonly principalId?: string; readonly type?: string };
  readonly dynamodb?: {
    readonly Keys?: Image;
    readonly NewImage?: Image;
    readonly OldImage?: Image;
    readonly SequenceNumber?: string;
  };
}

/** The changes in a batch, decoded into the table's items. */
export const parseChanges = ({ Records = [] }: StreamEvent): readonly StreamChange[] =>
  Records.flatMap(({ eventID = '', dynamodb = {}, userIdentity }) => {
    const { Keys, NewImage, OldImage, SequenceNumber = '' } = dynamodb;
    const [pk, sk] = [Keys?.pk?.S, Keys?.sk?.S];
    if (pk === undefined || sk === undefined) return [];
    return [
      {
        eventId: eventID,
        sequence: SequenceNumber,
        key: { pk, sk },
        isExpiry: userIdentity?.principalId === 'dynamodb.amazonaws.com',
        before: OldImage && readImage(OldImage),
        after: NewImage && readImage(NewImage),
      },
    ];
  });

const readImage = (image: Image): Item => decodeItem(image).item;
