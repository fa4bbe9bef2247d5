import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { StreamEvent, StreamRecord } from '../../shared/adapters/aws/stream-event.ts';
import type { LocalDynamo } from './dynamo.ts';

/** The records of the table's stream, shard by shard, in the format of Lambda's events. */
export const readStream = async ({
  client,
  endpoint,
  tableName,
}: LocalDynamo): Promise<readonly Required<Pick<StreamEvent, 'Records' | 'shardId'>>[]> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  const StreamArn = Table?.LatestStreamArn;
  const call = caller(endpoint);
  const { StreamDescription } = await call<{ StreamDescription: { Shards: { ShardId: string }[] } }>('DescribeStream', {
    StreamArn,
  });
  return Promise.all(
    StreamDescription.Shards.map(async ({ ShardId }) => {
      const Records: StreamRecord[] = [];
      const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
      let { ShardIterator } = await call<{ ShardIterator?: string | undefined }>('GetShardIterator', start);
      while (ShardIterator !== undefined) {
        const page: { Records: StreamRecord[]; NextShardIterator?: string } = await call('GetRecords', {
          ShardIterator,
        });
        Records.push(...page.Records);
        // An open shard always has a next iterator, so reading stops at the first empty page.
        ShardIterator = page.Records.length === 0 ? undefined : page.NextShardIterator;
      }
      return { Records, shardId: ShardId };
    }),
  );
};

// A minimal streams client; the product needs none, because Lambda reads its streams.
const caller =
  (endpoint: string) =>
  async <T>(operation: string, body: object): Promise<T> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': '20261101T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20261101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
