import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { StreamEvent, StreamRecord } from '../../shared/adapters/aws/stream-event.ts';
import type { LocalDynamo } from './dynamo.ts';

/** What the table's stream holds, shard by shard, in the shape in which Lambda hands it over. */
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
        // An open shard never ends: the first empty page is all there is.
        ShardIterator = page.Records.length === 0 ? undefined : page.NextShardIterator;
      }
      return { Records, shardId: ShardId };
    }),
  );
};

// The streams have a client of their own, which the product does not need: Lambda reads them.
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
