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

/** A key that a rule has read, with what was stored there. */
export interface Read {
  readonly key: Key;
  readonly stored: StampedItem | undefined;
}

/** What a rule wants stored, and the mark that tells this write from every other. */
export interface Decided {
  readonly writes: readonly PreparedWrite[];
  readonly revisionOf: (key: Key) => number;
  readonly stamp: string;
}

type Condition = Pick<
  ConditionCheck & { ConditionExpression: string },
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** One conditional put where that is enough, at half the price; otherwise a transaction. */
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
  // With the token, a request that is sent again because its answer was lost is not carried out again.
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

/** The requests of blind writes, in the groups of 25 that DynamoDB takes at once. */
export function batchRequests(writes: readonly PreparedWrite[], newStamp: () => string): readonly WriteRequest[][] {
  const requests = writes.map(
    (write): WriteRequest =>
      write.text === undefined
        ? { DeleteRequest: { Key: keyAttributes(write.key) } }
        : { PutRequest: { Item: encodeItem(write, 1, newStamp()) } },
  );
  return Array.from({ length: Math.ceil(requests.length / 25) }, (_, n) => requests.slice(n * 25, n * 25 + 25));
}

/** One page of a query as DynamoDB reads it: at most 1 MB, and so many items that one too many tells of a next page. */
export function queryRequest(
  TableName: string,
  pk: string,
  query: PageQuery,
  resume: { readonly start: Attributes | undefined; readonly missing: number },
): QueryCommandInput | undefined {
  const { from, to } = sortKeyRange(query);
  if (Buffer.compare(Buffer.from(from), Buffer.from(to)) >= 0) return undefined;
  // BETWEEN includes its upper end; to start from there backwards leaves it out.
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

/** Reads on through the whole table; what has another prefix is read and left out. */
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
