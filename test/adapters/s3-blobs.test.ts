import assert from 'node:assert/strict';
import { test } from 'node:test';
import { S3Client } from '@aws-sdk/client-s3';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { blobsContract } from '../contract/blobs.ts';
import { localCredentials, localRegion, startS3 } from '../support/s3.ts';
import { tries } from '../support/sampling.ts';

const MaxKeys = tries(100, 1000);

blobsContract('blobs in S3', async () => {
  const { client, bucket, stop } = await startS3();
  // A page of S3 has 1000 keys; of the smaller ones here a short list fills more than one too.
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(commandName === 'ListObjectsV2Command' ? { ...args, input: { ...args.input, MaxKeys } } : args),
    { step: 'initialize' },
  );
  return { blobs: s3Blobs({ client, bucket }), dispose: stop };
});

test('a missing bucket is Unavailable, with its name', async () => {
  const { client, stop } = await startS3();
  try {
    const blobs = s3Blobs({ client, bucket: 'not-there' });

    await assert.rejects(blobs.put('a', new Uint8Array([1])), { code: 'Unavailable', message: /bucket not-there/ });
    await assert.rejects(blobs.list(''), { code: 'Unavailable' });
  } finally {
    await stop();
  }
});

test('an S3 server that does not answer is Unavailable', async () => {
  const endpoint = 'http://127.0.0.1:1';
  const client = new S3Client({ endpoint, region: localRegion, credentials: localCredentials, maxAttempts: 1 });

  await assert.rejects(s3Blobs({ client, bucket: 'b' }).get('a'), { code: 'Unavailable', message: /try again/ });
});
