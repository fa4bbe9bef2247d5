import type {
  BatchGetItemOutput,
  BatchWriteItemOutput,
  ConsumedCapacity,
  GetItemOutput,
  PutItemCommandInput,
  PutItemOutput,
  QueryCommandInput,
  QueryOutput,
  ScanCommandInput,
  ScanOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsOutput,
  UpdateItemCommandInput,
  UpdateItemOutput,
  WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Key } from '../../kernel/ports.ts';
import { isNamed } from './aws-failures.ts';
import { repeatedly } from './backoff.ts';
import { dynamoFault } from './dynamo-failures.ts';
import { type Attributes, decodeItem, keyAttributes, type StampedItem } from './dynamo-items.ts';
import type { JsonCall } from './json-service.ts';

/** The operations of the table; what DynamoDB leaves unprocessed is requested again. */
export interface DynamoAccess {
  get(key: Key): Promise<StampedItem | undefined>;
  getMany(keys: readonly Key[]): Promise<readonly StampedItem[]>;
  query(input: QueryCommandInput): Promise<{ readonly stored: readonly StampedItem[]; readonly resume?: Attributes }>;
  scan(input: ScanCommandInput): Promise<{ readonly stored: readonly StampedItem[]; readonly resume?: Attributes }>;
  put(input: PutItemCommandInput): Promise<void>;
  update(input: UpdateItemCommandInput): Promise<Attributes>;
  transact(input: TransactWriteItemsCommandInput): Promise<void>;
  writeBatch(requests: readonly WriteRequest[]): Promise<void>;
}

interface Outputs {
  readonly GetItem: GetItemOutput;
  readonly BatchGetItem: BatchGetItemOutput;
  readonly Query: QueryOutput;
  readonly Scan: ScanOutput;
  readonly PutItem: PutItemOutput;
  readonly UpdateItem: UpdateItemOutput;
  readonly TransactWriteItems: TransactWriteItemsOutput;
  readonly BatchWriteItem: BatchWriteItemOutput;
}

export function dynamoAccess(call: JsonCall, TableName: string, onCapacity: (units: number) => void): DynamoAccess {
  const ask = async <Name extends keyof Outputs>(operation: Name, input: object): Promise<Outputs[Name]> =>
    (await call(operation, input)) as Outputs[Name];
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw dynamoFault(thrown, TableName);
    }
  };
  const spent = (capacity: ConsumedCapacity | readonly ConsumedCapacity[] | undefined): void => {
    for (const { CapacityUnits = 0 } of [capacity ?? []].flat()) onCapacity(CapacityUnits);
  };

  return {
    get: (key) =>
      told(async () => {
        const { Item } = await ask('GetItem', { TableName, Key: keyAttributes(key), ConsistentRead: true });
        return Item && decodeItem(Item);
      }),
    getMany: (keys) =>
      told(async () => {
        const stored: StampedItem[] = [];
        let Keys = keys.map(keyAttributes);
        return repeatedly(`table ${TableName} is throttled`, async () => {
          const request = { RequestItems: { [TableName]: { Keys, ConsistentRead: true } } };
          const { Responses, UnprocessedKeys } = await ask('BatchGetItem', request);
          stored.push(...(Responses?.[TableName] ?? []).map(decodeItem));
          Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
          return Keys.length === 0 ? { done: stored } : undefined;
        });
      }),
    query: (input) =>
      told(async () => {
        const { Items = [], LastEvaluatedKey } = await ask('Query', input);
        const stored = Items.map(decodeItem);
        return LastEvaluatedKey ? { stored, resume: LastEvaluatedKey } : { stored };
      }),
    scan: (input) =>
      told(async () => {
        const { Items = [], LastEvaluatedKey } = await ask('Scan', input);
        const stored = Items.map(decodeItem);
        return LastEvaluatedKey ? { stored, resume: LastEvaluatedKey } : { stored };
      }),
    put: (input) =>
      told(async () => {
        spent((await ask('PutItem', input)).ConsumedCapacity);
      }),
    update: (input) =>
      told(async () => {
        const { Attributes = {}, ConsumedCapacity } = await ask('UpdateItem', input);
        spent(ConsumedCapacity);
        return Attributes;
      }),
    transact: (input) =>
      told(() =>
        repeatedly('a transaction has not come to an end', async () => {
          try {
            spent((await ask('TransactWriteItems', input)).ConsumedCapacity);
            return { done: undefined };
          } catch (thrown) {
            // A request whose response was lost may still be in progress; its idempotency token makes a retry safe.
            if (isNamed(thrown, 'TransactionInProgressException')) return undefined;
            throw thrown;
          }
        }),
      ),
    writeBatch: (requests) =>
      told(async () => {
        let waiting = [...requests];
        return repeatedly(`table ${TableName} is throttled`, async () => {
          const { UnprocessedItems, ConsumedCapacity } = await ask('BatchWriteItem', {
            RequestItems: { [TableName]: waiting },
            ReturnConsumedCapacity: 'TOTAL',
          });
          spent(ConsumedCapacity);
          waiting = UnprocessedItems?.[TableName] ?? [];
          return waiting.length === 0 ? { done: undefined } : undefined;
        });
      }),
  };
}
