import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { handleEvents } from '../../functions/upload/handle-events.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { composeIqa } from '../../shared/iqa/iqa.ts';
import { imageBlobKey, uploadKey } from '../../shared/kernel/item-keys.ts';
import type { StoredObject } from '../../shared/uploads/claim.ts';
import { objectCreated } from '../../shared/uploads/object-event.ts';
import { type Dispatch, receiveUploads } from '../../shared/uploads/receive-uploads.ts';
import { readUpload } from '../../shared/uploads/upload.ts';

import { testAssay } from '../support/assay.ts';
import { goldenImage, shippedCatalogue, testEngine } from '../support/iqa.ts';
import { recordingLog } from '../support/recording-log.ts';

const prices = { operations: {}, tools: {}, cached_share: 1 };
const picture = goldenImage('chelsea.png').bytes;

describe('functions/upload', () => {
  const engine = testEngine();
  after(() => engine.close());

  /** The handler, with pictures of the sizes given and places that note what they get. */
  const shop = async (sizes: Readonly<Record<string, number>> = {}, broken: Partial<Dispatch> = {}) => {
    const blobs = memoryBlobs();
    const { assay } = await testAssay({ prices, blobs });
    const { table, clock } = assay;
    const files = blobModelFiles(blobs, 'unused');
    const log = recordingLog();
    const iqa = composeIqa({ catalogue: shippedCatalogue(), engine, table, blobs, modelFiles: files, clock, log });
    const invoked: string[] = [];
    const jobs: string[][] = [];
    const withoutGpu: string[] = [];
    const dispatch: Dispatch = {
      places: new Set(['function', 'batch']),
      toFunction: async ({ key }) => void invoked.push(key),
      toBatch: async (objects) => void jobs.push(objects.map(({ key }) => key)),
      ...broken,
    };
    const measure = async (path: string) => {
      const megapixels = sizes[path.split('/').at(-1) ?? ''] ?? 0.1;
      return { width: 1000, height: megapixels * 1000 };
    };
    const context = { ...assay, iqa, blobs, prices, dispatch, measure };
    const ports = {
      receive: (objects: readonly StoredObject[]) => receiveUploads(context, objects),
      scoreWithoutGpu: async ({ manifest }: { readonly manifest: string }) => void withoutGpu.push(manifest),
      warn: log.warn,
    };
    const statusOf = async (name: string) => {
      const item = await table.get(uploadKey('default', name));
      return item && readUpload(item).status;
    };
    const put = (name: string, bytes: Uint8Array = picture) => blobs.put(imageBlobKey('default', name), bytes);
    return {
      handle: (event: unknown, id = 'r1') => handleEvents(ports, event, id),
      invoked,
      jobs,
      withoutGpu,
      put,
      statusOf,
      table,
    };
  };
  const created = (name: string, etag = 'e') => objectCreated(imageBlobKey('default', name), etag, 5, '01');
  const message = (messageId: string, body: unknown) => ({
    messageId,
    eventSource: 'aws:sqs',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

  test('C.07 the upload function scores the picture of an EventBridge event, and fails each time for one that cannot be scored', async () => {
    const { handle, put, statusOf } = await shop();
    await put('a.png');
    await put('bad.png', new TextEncoder().encode('no picture'));

    assert.equal(await handle(created('a.png')), undefined);
    await assert.rejects(handle(created('bad.png')), /cannot be read as a picture/);
    await assert.rejects(handle(created('bad.png')), /cannot be read as a picture/);

    assert.deepEqual([await statusOf('a.png'), await statusOf('bad.png')], ['scored', 'failed']);
    await assert.rejects(handle({ 'detail-type': 'Object Deleted' }), /not an Object Created event/);
  });

  test('C.07 only the failed messages of a queue’s batch are delivered again', async () => {
    const { handle, put, statusOf } = await shop();
    await put('a.png');
    await put('b.png');

    const answer = await handle({
      Records: [
        message('1', created('a.png')),
        message('2', created('gone.png')),
        message('3', 'not json'),
        message('4', created('b.png')),
        message('5', created('a.png')),
      ],
    });

    assert.deepEqual(answer, { batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }] });
    assert.deepEqual([await statusOf('a.png'), await statusOf('b.png')], ['scored', 'scored']);
  });

  test('C.04 large pictures go to the container, the largest to Batch in one job, each once', async () => {
    const { handle, invoked, jobs, put } = await shop({ 'big.png': 60, 'huge.png': 250, 'vast.png': 260 });
    for (const name of ['small.png', 'big.png', 'huge.png', 'vast.png']) await put(name);
    const names = ['small.png', 'big.png', 'huge.png', 'vast.png'];
    const batch = { Records: names.map((name, index) => message(String(index), created(name))) };

    assert.deepEqual(await handle(batch), { batchItemFailures: [] });
    assert.deepEqual(await handle(batch), { batchItemFailures: [] });

    assert.deepEqual(invoked, ['big.png']);
    assert.deepEqual(jobs, [['huge.png', 'vast.png']]);
  });

  test('a new object under the same key is forwarded again', async () => {
    const { handle, invoked, put } = await shop({ 'big.png': 60 });
    await put('big.png');

    await handle(created('big.png', 'one'));
    await handle(created('big.png', 'two'));

    assert.deepEqual(invoked, ['big.png', 'big.png']);
  });

  test('pictures of a job without a GPU machine are scored on the CPU', async () => {
    const { handle, withoutGpu, jobs } = await shop();
    const about = (status: string, environment: readonly object[]) => ({
      'detail-type': 'Batch Job State Change',
      source: 'aws.batch',
      detail: { jobId: 'j1', status, statusReason: 'no capacity', container: { environment } },
    });
    const manifest = { name: 'ASSAY_MANIFEST', value: 'manifests/1.json' };

    await handle(about('FAILED', [{ name: 'ASSAY_PROVIDERS', value: 'cuda' }, manifest]));

    assert.deepEqual(withoutGpu, ['manifests/1.json']);
    assert.deepEqual(jobs, []);
    // A job of somebody else, and one that goes on.
    await assert.rejects(handle(about('FAILED', [])), { code: 'InvalidInput' });
    await assert.rejects(handle(about('RUNNING', [manifest])), { code: 'InvalidInput' });
    assert.equal(withoutGpu.length, 1);
  });

  test('a picture that could not be forwarded is retried, and does not count as in progress', async () => {
    const failing = { toBatch: () => Promise.reject(new Error('the queue is disabled')) };
    const { handle, put } = await shop({ 'huge.png': 250 }, failing);
    await put('huge.png');
    await put('a.png');
    const batch = { Records: [message('1', created('huge.png')), message('2', created('a.png'))] };

    assert.deepEqual(await handle(batch), { batchItemFailures: [{ itemIdentifier: '1' }] });
    await assert.rejects(handle(created('huge.png')), /the queue is disabled/);
  });

  test('a picture that no route can score is recorded as failed on arrival', async () => {
    const { handle, put, statusOf, table } = await shop();
    await put('a.png');
    const upload = {
      v: 1,
      key: 'a.png',
      key_id: 'admin',
      status: 'pending',
      tools: ['nosuch'],
      created_at: '2026-01-01T00:00:00Z',
    };
    await table.write([{ put: uploadKey('default', 'a.png'), body: upload }]);

    await assert.rejects(handle(created('a.png')), /no image-quality tool nosuch/);
    assert.equal(await statusOf('a.png'), 'failed');
  });
});
