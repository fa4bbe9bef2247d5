import type {
  ConditionCheck,
  PutItemCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Key, PageQuery } from '../../kernel/ports.ts';
import { type PreparedWrite, sortKeyRange, textOfKey } from '../table-rules.ts';
import { type Attributes, encodeItem, keyAttributes, type StampedItem } from './dynamo-items.ts';

/** A key that a rule has read, with the stored item. */
export interface Read {
  readonly key: Key;
  readonly stored: StampedItem | undefined;
}

/** The writes of a rule, and the stamp that identifies this write. */
export interface Decided {
  readonly writes: readonly PreparedWrite[];
  readonly revisionOf: (key: Key) => number;
  readonly stamp: string;
}

type Condition = Pick<
  ConditionCheck & { ConditionExpression: string },
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** A conditional put where that suffices, at half the price; otherwise a transaction. */
export type ChangeRequest =
  | { readonly put: PutItemCommandInput }
  | { readonly transaction: TransactWriteItemsCommandInput };

/** The request that stores a change only if nothing that was read for it has changed since. */
export function changeRequest(TableName: string, reads: readonly Read[], decided: Decided): ChangeRequest {
  const unwritten = new Map(reads.map((read) => [textOfKey(read.key), read]));
  const actions: TransactWriteItem[] = decided.writes.map((write) => {
    const read = unwritten.get(textOfKey(write.key));
    unwritten.delete(textOfKey(write.key));
    const guard = read && unchanged(read);
    if (write.text === undefined) return { Delete: { TableName, Key: keyAttributes(write.key), ...guard } };
    return { Put: { TableName, Item: encodeItem(write, decided.revisionOf(write.key), decided.stamp), ...guard } };
  });
  for (const read of unwritten.values())
    actions.push({ ConditionCheck: { TableName, Key: keyAttributes(read.key), ...unchanged(read) } });

  const onlyPut = actions.length === 1 ? actions[0]?.Put : undefined;
  if (onlyPut)
    return { put: { ...onlyPut, ReturnValuesOnConditionCheckFailure: 'ALL_OLD', ReturnConsumedCapacity: 'TOTAL' } };
  // The token makes a retry safe after a lost response.
  return {
    transaction: { TransactItems: actions, ClientRequestToken: decided.stamp, ReturnConsumedCapacity: 'TOTAL' },
  };
}

function unchanged({ stored }: Read): Condition {
  if (!stored) return { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' } };
  return {
    ConditionExpression: '#stamp = :before',
    ExpressionAttributeNames: { '#stamp': 'stamp' },
    ExpressionAttributeValues: { ':before': { S: stored.stamp } },
  };
}

/** The requests of blind writes, in groups of 25, DynamoDB's limit. */
export function batchRequests(writes: readonly PreparedWrite[], newStamp: () => string): readonly WriteRequest[][] {
  const requests = writes.map(
    (write): WriteRequest =>
      write.text === undefined
        ? { DeleteRequest: { Key: keyAttributes(write.key) } }
        : { PutRequest: { Item: encodeItem(write, 1, newStamp()) } },
  );
  return Array.from({ length: Math.ceil(requests.length / 25) }, (_, n) => requests.slice(n * 25, n * 25 + 25));
}

/** One page of a query: at most 1 MB, and one item more than wanted, which shows that there is a next page. */
export function queryRequest(
  TableName: string,
  pk: string,
  query: PageQuery,
  resume: { readonly start: Attributes | undefined; readonly missing: number },
): QueryCommandInput | undefined {
  const { from, to } = sortKeyRange(query);
  if (Buffer.compare(Buffer.from(from), Buffer.from(to)) >= 0) return undefined;
  // BETWEEN includes its upper end; a reverse query that starts there excludes it.
  const start = resume.start ?? (query.reverse ? keyAttributes({ pk, sk: to }) : undefined);
  return {
    TableName,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':pk': { S: pk }, ':from': { S: from }, ':to': { S: to } },
    ConsistentRead: true,
    ScanIndexForward: !query.reverse,
    ExclusiveStartKey: start,
    Limit: query.limit === undefined ? undefined : resume.missing,
  };
}

/** Scans the whole table, and filters by prefix. */
export function scanRequest(TableName: string, prefix: string, after: Key | undefined): ScanCommandInput {
  return {
    TableName,
    ConsistentRead: true,
    FilterExpression: 'begins_with(#pk, :prefix)',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: { ':prefix': { S: prefix } },
    ExclusiveStartKey: after && keyAttributes(after),
  };
}
