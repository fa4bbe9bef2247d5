import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientSettings } from '../../shared/adapters/aws/client-settings.ts';
import { dynamoCalls } from '../../shared/adapters/aws/dynamo-calls.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { localCredentials } from '../support/s3.ts';

describe('AWS clients', () => {
  test('a DynamoDB that never answers fails as Unavailable after a bounded number of retries', async () => {
    let asked = 0;
    const silent = createServer((socket) => socket.on('error', () => {}).once('data', () => asked++)).listen(
      0,
      '127.0.0.1',
    );
    await once(silent, 'listening');
    after(() => silent.close());
    const client = new DynamoDBClient({
      ...clientSettings('table', { answerMs: 500 }),
      region: 'us-east-1',
      credentials: localCredentials,
      endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    });
    after(() => client.destroy());

    await assert.rejects(
      dynamoTable({ call: dynamoCalls(client), tableName: 'assay' }).get({ pk: 'a', sk: 'b' }),
      (thrown: unknown) =>
        thrown instanceof Fault && thrown.code === 'Unavailable' && /did not answer in time/.test(thrown.message),
    );
    assert.equal(asked, 3);
  });

  test('every AWS client that a function creates has a timeout and a retry limit', async () => {
    const { glob, readFile } = await import('node:fs/promises');
    for await (const file of glob(['functions/**/*.ts', 'shared/**/*.ts']))
      for (const [found] of (await readFile(file, 'utf8')).matchAll(
        /new (DynamoDB|S3|SFN|Batch|EventBridge|SecretsManager)Client\([^)]*/g,
      ))
        assert.match(found, /clientSettings|\.\.\.config/, `${file}: ${found}`);
  });
});
