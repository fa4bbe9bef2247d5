import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, describe, test } from 'node:test';
import { watchDrain } from '../../functions/inference/drain.ts';
import { workThrough } from '../../functions/inference/work-through.ts';
import { spotNotice } from '../../shared/adapters/aws/spot-notice.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import type { MonthUsage } from '../../shared/execute/billing/usage.ts';
import { composeIqa } from '../../shared/iqa/iqa.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { imageBlobKey, jobReportBlobKey, manifestBlobKey, uploadKey } from '../../shared/kernel/item-keys.ts';
import { writeManifest } from '../../shared/uploads/manifest.ts';
import { testAssay } from '../support/assay.ts';
import { goldenImage, shippedCatalogue, testEngine } from '../support/iqa.ts';
import { recordingLog } from '../support/recording-log.ts';

const prices = { operations: {}, tools: {}, cached_share: 1 };
const picture = goldenImage('chelsea.png').bytes;
const manifest = manifestBlobKey('job-1');

describe('the Batch worker', () => {
  const engine = testEngine();
  after(() => engine.close());

  const shop = async (names: readonly string[]) => {
    const blobs = memoryBlobs();
    const { assay, json } = await testAssay({ prices, blobs });
    const { table, clock } = assay;
    const log = recordingLog();
    const modelFiles = blobModelFiles(blobs, 'unused');
    const iqa = composeIqa({ catalogue: shippedCatalogue(), engine, table, blobs, modelFiles, clock, log });
    for (const name of names) {
      const bytes = name.startsWith('bad') ? new TextEncoder().encode('no picture') : picture;
      await blobs.put(imageBlobKey('default', name), bytes);
      const upload = {
        v: 1,
        key: name,
        key_id: 'k',
        status: 'pending',
        tools: ['entropy'],
        created_at: '2026-01-01T00:00:00.000Z',
      };
      await table.write([{ put: uploadKey('default', name), body: upload }]);
    }
    await blobs.put(manifest, writeManifest(names.map((key) => ({ tenant: 'default', key, etag: 'e' }))));
    const context = { ...assay, log, iqa, blobs, prices };
    const run = (drain: AbortSignal = new AbortController().signal, over = {}) =>
      workThrough({ ...context, ...over }, { manifest, job: 'job-1', drain, atOnce: 2, graceMs: 1000 });
    return { run, blobs, log, table, context, json };
  };
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}.png`);

  test('C.04 the Batch worker scores every picture of its manifest and reports each; a bad one fails alone', async () => {
    const { run, blobs, log } = await shop([...names(5), 'bad.png']);

    const report = await run();

    assert.deepEqual(
      { ...report, failed: report.failed.map(({ key }) => key) },
      {
        v: 1,
        job: 'job-1',
        images: 6,
        scored: 5,
        skipped: 0,
        failed: ['bad.png'],
        left: 0,
      },
    );
    assert.match(report.failed[0]?.reason ?? '', /cannot be read as a picture/);
    assert.equal(log.lines.filter(({ message }) => message === 'image done').length, 6);
    const stored = await blobs.get(jobReportBlobKey(manifest));
    assert.deepEqual(JSON.parse(Buffer.from(stored ?? []).toString()), report);
  });

  test('C.04 a Batch worker whose machine is reclaimed finishes its current pictures, and the next attempt continues there', async () => {
    const { run, context, json } = await shop(names(12));
    const drain = new AbortController();
    let begun = 0;
    const counting = {
      blobs: {
        ...context.blobs,
        get: (key: string) => {
          if (key.startsWith('images/') && ++begun === 4) drain.abort();
          return context.blobs.get(key);
        },
      },
    };

    const first = await run(drain.signal, counting);
    const second = await run();

    assert.ok(first.scored >= 3 && first.scored <= 5, `${first.scored} scored`);
    assert.equal(first.left, 12 - first.scored);
    assert.deepEqual([second.scored, second.skipped, second.left], [12 - first.scored, first.scored, 0]);
    await context.recorder.flush();
    assert.equal((await json<MonthUsage>('GET', '/v1/usage')).body.calls, 12);
  });

  test('a picture left by the worker’s own last attempt is retried, one held by another worker is left alone', async () => {
    const { run, table, context } = await shop(['mine.png', 'theirs.png']);
    for (const [key, claimed_by] of Object.entries({ 'mine.png': 'job-1', 'theirs.png': 'other' })) {
      const claimed = {
        status: 'scoring',
        etag: 'e',
        attempts: 1,
        claimed_at: context.clock.now() - 60_000,
        claimed_by,
      };
      const upload = { v: 1, key, key_id: 'k', tools: ['entropy'], created_at: '2026-01-01T00:00:00.000Z', ...claimed };
      await table.write([{ put: uploadKey('default', key), body: upload }]);
    }

    const report = await run();

    assert.deepEqual([report.scored, report.skipped], [1, 1]);
  });

  test('the Batch worker waits for memory as often as it must, and loses no picture for want of it', async () => {
    const { run, context } = await shop(['large.png']);
    let tries = 0;
    const crowded = {
      blobs: {
        ...context.blobs,
        get: async (key: string) => {
          if (key.startsWith('images/') && ++tries < 6)
            throw new Fault('RateLimited', 'no memory is left', { retry_after_seconds: 0.001 });
          return context.blobs.get(key);
        },
      },
    };

    const report = await run(undefined, crowded);

    assert.deepEqual([report.scored, report.failed], [1, []]);
  });

  test('the Batch worker refuses a manifest that is missing, broken or names something other than a picture', async () => {
    const { run, blobs } = await shop(['a.png']);
    const write = (text: string) => blobs.put(manifest, new TextEncoder().encode(text));

    await write('{');
    await assert.rejects(run(), /job-1\/manifest\.json is not JSON/);
    await write(JSON.stringify({ v: 1, images: [{ tenant: 'default', key: '../x', etag: 'e' }] }));
    await assert.rejects(run(), /images\.0\.key must be/);
    await blobs.remove(manifest);
    await assert.rejects(run(), /there is no manifest/);
  });
});

describe('draining the Batch worker', () => {
  const never = async () => undefined;

  test('SIGTERM starts the Batch worker’s shutdown, once', () => {
    const [signals, log] = [new EventEmitter(), recordingLog()];
    const { signal, stop } = watchDrain({ log, signals, spotNotice: never });

    assert.equal(signal.aborted, false);
    signals.emit('SIGTERM');
    signals.emit('SIGINT');
    stop();

    assert.equal(signal.aborted, true);
    assert.equal(log.lines.length, 1);
  });

  test('a Spot interruption notice starts draining, a failing metadata service does not', async () => {
    let asked = 0;
    const notice = async () => {
      if (++asked < 3) throw new Error('no route');
      return '{"action":"terminate","time":"2026-03-01T12:02:00Z"}';
    };
    const log = recordingLog();
    const { signal, stop } = watchDrain({ log, signals: new EventEmitter(), spotNotice: notice, everyMs: 5 });

    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stop();

    assert.equal(asked, 3);
    assert.match(String(signal.reason), /taken away: .*terminate/);
  });

  test('the Spot notice is requested with an IMDSv2 token', async () => {
    const seen: unknown[] = [];
    const machine = (notice: number) =>
      (async (url: string | URL | Request, options: RequestInit = {}) => {
        seen.push([String(url).replace('http://m', ''), options.method ?? 'GET', options.headers]);
        if (String(url).endsWith('/token')) return new Response('secret');
        return new Response(notice === 200 ? '{"action":"stop"}' : '', { status: notice });
      }) as typeof fetch;

    assert.equal(await spotNotice(machine(404), 'http://m')(), undefined);
    assert.equal(await spotNotice(machine(200), 'http://m')(), '{"action":"stop"}');
    assert.deepEqual(seen.slice(0, 2), [
      ['/latest/api/token', 'PUT', { 'x-aws-ec2-metadata-token-ttl-seconds': '60' }],
      ['/latest/meta-data/spot/instance-action', 'GET', { 'x-aws-ec2-metadata-token': 'secret' }],
    ]);
  });
});
