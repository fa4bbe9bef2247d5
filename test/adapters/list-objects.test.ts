import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listObjects } from '../../shared/adapters/aws/list-objects.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import type { Blobs } from '../../shared/kernel/ports.ts';
import { type LocalS3, localCredentials, startS3 } from '../support/s3.ts';

describe('listing objects of a bucket without the SDK', () => {
  let s3: LocalS3;
  let blobs: Blobs;
  const listIn = (bucket: string, pageSize?: number) =>
    listObjects({
      bucket,
      endpoint: s3.endpoint,
      region: 'eu-central-1',
      credentials: () => localCredentials,
      ...(pageSize && { pageSize }),
    });
  before(async () => {
    s3 = await startS3('pictures');
    blobs = s3Blobs({ client: s3.client, bucket: 'pictures' });
  });
  after(() => s3?.stop());

  test('the list without the SDK equals the SDK’s, whatever characters the keys contain', async () => {
    for (const key of ['models/a & b/record.json', "models/c'(d)!*+<e>.json", 'models/ü/record.json', 'other/x'])
      await blobs.put(key, new Uint8Array([1]), 'application/json');

    assert.deepEqual([...(await listIn('pictures')('models/'))].sort(), [...(await blobs.list('models/'))].sort());
    assert.equal((await listIn('pictures')('models/')).length, 3);
    assert.deepEqual(await listIn('pictures')('nothing & nowhere/'), []);
  });

  test('a list of more than one page is complete', async () => {
    const keys = Array.from({ length: 7 }, (_, index) => `pages/${index}`);
    await Promise.all(keys.map((key) => blobs.put(key, new Uint8Array([1]), 'text/plain')));

    assert.deepEqual([...(await listIn('pictures', 3)('pages/'))].sort(), keys);
  });

  test('listing a missing bucket fails with its name', async () => {
    await assert.rejects(listIn('nowhere')('models/'), {
      code: 'Unavailable',
      message: /bucket nowhere does not exist; create it/,
    });
  });
});
