import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { adminActor } from '../../shared/access/scopes.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { verifyUsage } from '../../shared/execute/billing/verify-usage.ts';
import {
  imageBlobKey,
  jobReportBlobKey,
  manifestBlobKey,
  scoresBlobKey,
  uploadKey,
} from '../../shared/kernel/item-keys.ts';
import type { Blobs, Table } from '../../shared/kernel/ports.ts';
import { readManifest, writeManifest } from '../../shared/uploads/manifest.ts';
import { objectCreated } from '../../shared/uploads/object-event.ts';
import { readUpload } from '../../shared/uploads/upload.ts';

import { type LocalAws, startAws } from '../support/aws-services.ts';
import { whyNoDynamo } from '../support/dynamo.ts';
import { buildImage, startJob } from '../support/inference-image.ts';
import { goldenImage } from '../support/iqa.ts';
import { lambdaContext, loadHandler } from '../support/lambda.ts';
import { recordingLog } from '../support/recording-log.ts';
import { tries } from '../support/sampling.ts';

type Handler = (event: unknown, context: ReturnType<typeof lambdaContext>) => Promise<unknown>;
const picture = goldenImage('chelsea.png').bytes;

/** The beginning of a PNG file of a size: enough to be measured, too little to be decoded. */
const headOf = (width: number, height: number): Uint8Array => {
  const bytes = Buffer.from(picture);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

describe('the bundles that score uploads', { skip: whyNoDynamo() }, () => {
  let aws: LocalAws;
  let folder: string;
  let services: Server;
  let table: Table;
  let blobs: Blobs;
  let upload: Handler;
  const asked: { readonly path: string; readonly type: string; readonly body: never }[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-'));
    [aws] = await Promise.all([startAws(), buildImage(folder)]);
    // Lambda and Batch, as far as one starts something there.
    services = createServer(async (request, response) => {
      const type = String(request.headers['x-amz-invocation-type'] ?? '');
      asked.push({ path: request.url ?? '', type, body: JSON.parse(await text(request)) as never });
      response.statusCode = type === 'Event' ? 202 : 200;
      response.end(type === 'Event' ? '' : JSON.stringify({ jobId: 'j', jobName: 'n' }));
    }).listen(0, '127.0.0.1');
    await once(services, 'listening');
    const endpoint = `http://127.0.0.1:${(services.address() as AddressInfo).port}`;
    Object.assign(process.env, aws.environment, {
      AWS_ENDPOINT_URL_LAMBDA: endpoint,
      AWS_ENDPOINT_URL_BATCH: endpoint,
      ASSAY_INFERENCE_FUNCTION: 'assay-inference',
      ASSAY_JOB_QUEUE: 'queue',
      ASSAY_JOB_DEFINITION: 'definition',
    });
    table = dynamoTable({ call: aws.dynamo.call, tableName: aws.dynamo.tableName });
    blobs = s3Blobs({ client: aws.s3.client, bucket: 'images' });
    upload = await loadHandler<Handler>(join(folder, 'upload'));
  });
  after(async () => {
    services.close();
    await aws.stop();
    await rm(folder, { recursive: true });
  });

  const announce = async (key: string, bytes: Uint8Array, keyId = 'payer') => {
    await blobs.put(imageBlobKey('default', key), bytes, 'image/png');
    const body = {
      v: 1,
      key,
      key_id: keyId,
      status: 'pending',
      tools: ['entropy'],
      created_at: '2026-01-01T00:00:00.000Z',
    };
    await table.write([{ put: uploadKey('default', key), body }]);
    return objectCreated(imageBlobKey('default', key), 'e', bytes.length, '01');
  };
  const statusOf = async (key: string) => {
    const item = await table.get(uploadKey('default', key));
    return item && readUpload(item).status;
  };
  const calls = async () =>
    (
      await verifyUsage(
        { table, clock: { now: Date.now }, log: recordingLog() },
        adminActor(),
        new Date().toISOString().slice(0, 7),
        false,
      )
    ).ledger.calls;

  test('C.07 an uploaded picture is scored by its event, once, and its scores are stored in the bucket', async () => {
    const event = await announce('small.png', picture);

    await upload(event, lambdaContext());
    await upload(event, lambdaContext());

    const stored = await blobs.get(scoresBlobKey('default', 'small.png'));
    const scores = JSON.parse(Buffer.from(stored ?? []).toString()) as { status: string; scores: { tool: string }[] };
    assert.deepEqual([scores.status, scores.scores[0]?.tool], ['scored', 'entropy']);
    assert.equal(await calls(), 1);
    assert.equal(asked.length, 0);
  });

  test('C.04 a large picture goes to the container function, which accepts the same event', async () => {
    const event = await announce('large.png', headOf(8000, 8000));
    await upload(event, lambdaContext());
    const [sent] = asked.splice(0);
    assert.deepEqual([sent?.path, sent?.type], ['/2015-03-31/functions/assay-inference/invocations', 'Event']);
    assert.equal(await statusOf('large.png'), 'pending');

    // A whole picture in its place, as 64 megapixels would only take time.
    await blobs.put(imageBlobKey('default', 'large.png'), picture, 'image/png');
    const infer = await loadHandler<Handler>(join(folder, 'lambda'));
    assert.equal(await infer(sent?.body, lambdaContext()), 'scored');
    assert.equal(await statusOf('large.png'), 'scored');
  });

  test('C.04 the largest pictures are submitted to Batch in one job, whose manifest lists them', async () => {
    const events = [await announce('x.png', headOf(15_000, 15_000)), await announce('y.png', headOf(15_000, 16_000))];
    const Records = events.map((event, index) => ({
      messageId: String(index),
      eventSource: 'aws:sqs',
      body: JSON.stringify(event),
    }));

    assert.deepEqual(await upload({ Records }, lambdaContext()), { batchItemFailures: [] });

    const [job, ...others] = asked.splice(0) as readonly { readonly path: string; readonly body: Submitted }[];
    assert.deepEqual([job?.path, others.length], ['/v1/submitjob', 0]);
    assert.deepEqual([job?.body.jobQueue, job?.body.jobDefinition], ['queue', 'definition']);
    const [{ name, value } = { name: '', value: '' }] = job?.body.containerOverrides.environment ?? [];
    assert.equal(name, 'ASSAY_MANIFEST');
    const { images } = readManifest(await blobs.get(value), value);
    assert.deepEqual(
      images.map(({ key }) => key),
      ['x.png', 'y.png'],
    );
  });

  describe('the Batch worker as a process', () => {
    const manifest = manifestBlobKey('01job');
    const names = Array.from({ length: tries(16, 40) }, (_, index) => `many-${index}.png`);
    const environment = (providers?: string) => ({
      ...aws.environment,
      PATH: process.env.PATH ?? '',
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_BATCH_JOB_ID: 'the-job',
      ASSAY_MANIFEST: manifest,
      ...(providers === undefined ? {} : { ASSAY_PROVIDERS: providers }),
    });
    before(async () => {
      for (const name of names) await announce(name, name === 'many-7.png' ? new Uint8Array([1, 2, 3]) : picture);
      await blobs.put(
        manifest,
        writeManifest(names.map((key) => ({ tenant: 'default', key, etag: 'e', sequencer: '01' }))),
      );
    });

    test('C.04 without its GPU the Batch worker fails before it starts a picture', async () => {
      const { code, log } = await startJob(folder, environment()).ended;

      assert.equal(code, 1, log);
      assert.match(log, /execution provider cuda does not work here/);
      assert.equal(await statusOf('many-0.png'), 'pending');
    });

    test('C.04 a Batch worker stopped by SIGTERM leaves the rest to the next attempt, and each picture is charged once', async () => {
      const paid = await calls();

      const first = startJob(folder, environment('cpu'));
      await first.said('image done');
      first.kill('SIGTERM');
      const drained = await first.ended;
      assert.equal(drained.code, 75, drained.log);
      const left = (await Promise.all(names.map(statusOf))).filter((status) => status === 'pending').length;
      assert.ok(left > 0 && left < names.length, `${left} left`);

      const second = await startJob(folder, environment('cuda,cpu')).ended;
      assert.equal(second.code, 0, second.log);
      const stored = await blobs.get(jobReportBlobKey(manifest));
      const report = JSON.parse(Buffer.from(stored ?? []).toString()) as Record<string, unknown>;
      assert.deepEqual([report.images, report.left], [names.length, 0]);
      assert.equal(await statusOf('many-7.png'), 'failed');
      assert.equal((await calls()) - paid, names.length - 1);
    });
  });
});

interface Submitted {
  readonly jobQueue: string;
  readonly jobDefinition: string;
  readonly containerOverrides: { readonly environment: readonly { readonly name: string; readonly value: string }[] };
}
