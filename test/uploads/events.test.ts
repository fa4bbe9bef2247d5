import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { localUploads } from '../../functions/cli/local-uploads.ts';
import { recordUsedUp } from '../../functions/give-up/record-used-up.ts';
import { revokeKey } from '../../shared/access/api-keys.ts';
import { deleteTenant } from '../../shared/access/delete-tenant.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { loginActor } from '../../shared/access/token-actor.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { tryInProcess } from '../../shared/adapters/onnx/trial-process.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { MonthUsage } from '../../shared/execute/billing/usage.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import {
  ACTIVE_UPLOADS_PK,
  activeUploadKey,
  imageBlobKey,
  scoresBlobKey,
  uploadKey,
} from '../../shared/kernel/item-keys.ts';
import { LEASE_MS } from '../../shared/kernel/lease.ts';
import { put } from '../../shared/kernel/stored.ts';
import { DeliveryItem } from '../../shared/model/delivery.ts';
import type { Actor } from '../../shared/model/key.ts';
import { claimUpload } from '../../shared/uploads/claim.ts';
import { giveUpUpload } from '../../shared/uploads/give-up-upload.ts';
import { objectCreated, readObjectCreated } from '../../shared/uploads/object-event.ts';
import { refusedPicture } from '../../shared/uploads/refused-picture.ts';
import { requestUpload } from '../../shared/uploads/request-upload.ts';
import { scoreUpload, secondsUntilFree, type UploadContext } from '../../shared/uploads/score-upload.ts';
import { readUpload, viewUpload } from '../../shared/uploads/upload.ts';
import { testAssay } from '../support/assay.ts';
import { goldenImage, testEngine, testIqa } from '../support/iqa.ts';

const prices = { operations: {}, tools: {}, cached_share: 1 };
const picture = goldenImage('chelsea.png').bytes;
const onlyStored = {
  v: 1,
  key: 'b.png',
  key_id: 'admin',
  status: 'pending',
  score: false,
  created_at: '2026-01-01T00:00:00.000Z',
};

/** A context that waits before it reads a picture until it is released; with a promise for that moment. */
const paused = (context: UploadContext): readonly [UploadContext, Promise<void>, () => void] => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const blobs = {
    ...context.blobs,
    get: async (key: string) => {
      begun.resolve();
      await gate.promise;
      return context.blobs.get(key);
    },
  };
  return [{ ...context, blobs }, begun.promise, gate.resolve];
};

const movingClock = () => {
  const clock = systemClock();
  let ahead = 0;
  const move = (by: number): void => {
    ahead += by;
  };
  return { ...clock, now: () => clock.now() + ahead, move };
};

describe('upload events', () => {
  const engine = testEngine();
  after(() => engine.close());

  const shop = async () => {
    const blobs = memoryBlobs();
    const server = await testAssay({ prices, blobs });
    const { table, clock } = server.assay;
    const iqa = testIqa({ engine, table, blobs, clock });
    return { ...server, context: { ...server.assay, iqa, blobs, prices } };
  };

  /** Announces a picture as an actor, stores it and scores it. */
  const upload = async ({ context }: Awaited<ReturnType<typeof shop>>, actor: Actor, revoke = async () => {}) => {
    const signPut = async () => ({ url: 'http://127.0.0.1/x', headers: {}, expires_at: '2026-03-01T12:15:00Z' });
    const wish = { content_type: 'image/png', tools: ['entropy'] };
    const { key } = await requestUpload({ ...context, signPut }, actor, wish);
    await context.blobs.put(imageBlobKey('default', key), picture);
    await revoke();
    return scoreUpload(context, { tenant: 'default', key, etag: 'e1' });
  };

  test('C.06 X.22 a login pays for its uploads from its quota', async () => {
    const server = await shop();
    const login = loginActor('default', `oauth_${'0'.repeat(32)}`, { quota: { calls: 1 } });

    assert.equal(await upload(server, login), 'scored');
    await assert.rejects(upload(server, login), { code: 'PaymentRequired' });
  });

  test('C.06 a revoked key pays for no upload that it announced before', async () => {
    const server = await shop();
    const text = await server.key({ scopes: ['invoke'], quota: { calls: 9 } });
    const actor = await server.assay.authenticate(text);

    const scoring = upload(server, actor, () => revokeKey(server.assay, adminActor(), actor.keyId));

    await assert.rejects(scoring, { code: 'Unauthenticated' });
  });

  test('C.07 1,000 duplicated and shuffled events of 100 objects give 100 sets of scores, each charged once', async () => {
    const { context, json, key } = await shop();
    const payer = (await key({ scopes: ['invoke'], quota: { calls: 1000 } })).split('_')[1] ?? '';
    const names = Array.from({ length: 100 }, (_, index) => `picture-${index}.png`);
    for (const name of names) {
      await context.blobs.put(imageBlobKey('default', name), picture);
      const upload = {
        v: 1,
        key: name,
        key_id: payer,
        status: 'pending',
        tools: ['entropy'],
        created_at: '2026-01-01T00:00:00.000Z',
      };
      await context.table.write([{ put: uploadKey('default', name), body: upload }]);
    }
    const events = names.flatMap((name) =>
      Array.from({ length: 10 }, () => objectCreated(imageBlobKey('default', name), 'e1', 5, '0a')),
    );
    const shuffled =
      fc.sample(fc.shuffledSubarray(events, { minLength: events.length }), { numRuns: 1, seed: 7 })[0] ?? [];

    const outcomes: string[] = [];
    const queue = [...shuffled];
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let event = queue.pop(); event; event = queue.pop())
          outcomes.push(await scoreUpload(context, readObjectCreated(event)));
      }),
    );

    assert.equal(outcomes.length, 1000);
    assert.equal(outcomes.filter((outcome) => outcome === 'scored').length, 100);
    await context.recorder.flush();
    const { body } = await json<MonthUsage>('GET', '/v1/usage');
    const price = context.iqa.catalogue.find('entropy')?.price_micros ?? 0;
    assert.deepEqual([body.calls, body.micros], [100, 100 * price]);
    assert.equal((await context.blobs.list('scores/default/')).length, 100);
  });

  test('C.07 a picture that arrives after its tenant was deleted is removed and recreates nothing', async () => {
    const { context, key } = await shop();
    const { table, blobs } = context;
    await key({ scopes: ['invoke'], tenant: 'gone' });
    for (const tenant of ['gone', 'gone2']) {
      const event = objectCreated(imageBlobKey(tenant, 'a.png'), 'e', 5, '01');
      await table.write([put(activeUploadKey(`to-${tenant}`), DeliveryItem, { id: `to-${tenant}`, event })]);
    }

    await deleteTenant(context, adminActor(), 'gone');

    assert.deepEqual(
      (await table.query(ACTIVE_UPLOADS_PK)).items.map(({ key: { sk } }) => sk),
      ['to-gone2'],
    );
    const late = { tenant: 'gone', key: 'late.png', etag: 'e1' };
    await blobs.put(imageBlobKey('gone', 'late.png'), picture);
    assert.equal(await scoreUpload(context, late), 'deleted');
    assert.equal(await giveUpUpload(context, late, new Fault('Unavailable', 'it died')), false);
    assert.deepEqual(await blobs.list('images/gone/'), []);
    assert.deepEqual((await table.scan('T#gone#')).items, []);
    await key({ scopes: ['invoke'], tenant: 'gone' });
    await blobs.put(imageBlobKey('gone', 'late.png'), picture);
    assert.equal(await scoreUpload(context, late), 'scored', 'a tenant with that name is there again');
  });

  test('C.07 scoring that ends after its tenant was deleted stores neither scores nor a row', async () => {
    const { context } = await shop();
    await context.blobs.put(imageBlobKey('gone', 'a.png'), picture);
    const [slow, reading, release] = paused(context);
    const scoring = scoreUpload(slow, { tenant: 'gone', key: 'a.png', etag: 'e1' });
    await reading;
    await deleteTenant(context, adminActor(), 'gone');
    release();

    await assert.rejects(scoring);

    assert.deepEqual(await context.blobs.list('scores/gone/'), []);
    assert.equal(await context.table.get(uploadKey('gone', 'a.png')), undefined);
  });

  test('C.07 the newest object is scored, and an older event changes nothing', async () => {
    const { context } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const event = (etag: string, sequencer: string) =>
      readObjectCreated(objectCreated('images/default/a.png', etag, 5, sequencer));

    assert.equal(await scoreUpload(context, event('new', 'ff')), 'scored');
    assert.equal(await scoreUpload(context, event('old', '0e')), 'older');
    assert.equal(await scoreUpload(context, event('newest', '100')), 'scored');
    const item = await context.table.get(uploadKey('default', 'a.png'));
    assert.equal(item && readUpload(item).etag, 'newest');
  });

  test('C.07 a picture that cannot be scored is recorded as failed and never retried', async () => {
    const { context } = await shop();
    await context.blobs.put(imageBlobKey('default', 'bad.png'), new TextEncoder().encode('no picture'));
    const event = readObjectCreated(objectCreated('images/default/bad.png', 'e', 5, '01'));

    await assert.rejects(scoreUpload(context, event), /cannot be read as a picture/);
    await assert.rejects(scoreUpload(context, event), /cannot be read as a picture/);
    const item = await context.table.get(uploadKey('default', 'bad.png'));
    assert.deepEqual(item && [readUpload(item).status, readUpload(item).attempts], ['failed', 1]);
  });

  test('C.07 an object deleted before scoring is recorded as failed, with the reason', async () => {
    const { context } = await shop();

    await assert.rejects(
      scoreUpload(context, readObjectCreated(objectCreated('images/default/gone.png', 'e', 5, '01'))),
      /gone\.png is no longer there/,
    );
  });

  test('C.07 an event redelivered after a crash that followed charging does not charge again', async () => {
    const { context, json } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    await scoreUpload(context, object);
    // Its last write is undone, and so long ago that another process may take it over.
    const item = await context.table.get(uploadKey('default', 'a.png'));
    assert.ok(item);
    await context.table.write([{ put: item.key, body: { ...item.body, status: 'scoring', claimed_at: 0 } }]);

    assert.equal(await scoreUpload(context, object), 'scored');
    await context.recorder.flush();
    assert.equal((await json<MonthUsage>('GET', '/v1/usage')).body.calls, 1);
  });

  test('C.07 a picture whose process crashed while its call was reserved is scored and charged once', async () => {
    const { context, json, key } = await shop();
    const payer = (await key({ scopes: ['invoke'], quota: { calls: 10 } })).split('_')[1] ?? '';
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const id = context.clock.newId();
    const died = { v: 1, key: 'a.png', key_id: payer, status: 'scoring', call_id: id, etag: 'e', claimed_at: 0 };
    const body = { ...died, tools: ['entropy'], attempts: 1, created_at: '2026-01-01T00:00:00.000Z' };
    await context.table.write([{ put: uploadKey('default', 'a.png'), body }]);
    const call = { id, tenant: 'default', keyId: payer, tool: 'score', version: 'operation', priceMicros: 1 };
    await context.meter.reserve({ ...call, quota: { calls: 10 }, at: Date.now(), timeoutMs: 900_000 });

    const event = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    assert.equal(await scoreUpload(context, event), 'scored');
    await context.recorder.flush();
    assert.equal((await json<MonthUsage>('GET', '/v1/usage')).body.calls, 1);
    assert.deepEqual((await json<Verification>('GET', '/v1/usage/verification')).body.differences, []);
  });

  test('C.07 a picture scored at the second try is charged for it', async () => {
    const { context, json } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    const iqa = {
      ...context.iqa,
      engine: { ...engine, decode: () => Promise.reject(new Fault('Unavailable', 'no room')) },
    };

    await assert.rejects(scoreUpload({ ...context, iqa }, object), /no room/);
    await context.recorder.flush();
    assert.equal(await scoreUpload(context, object), 'scored');
    await context.recorder.flush();
    const { calls, micros } = (await json<MonthUsage>('GET', '/v1/usage')).body;
    assert.equal(calls, 1);
    assert.ok(micros > 0);
  });

  test('X.04 a picture without free capacity waits, however often, and is charged once', async () => {
    const { context, json, key } = await shop();
    const payer = (await key({ scopes: ['invoke'], quota: { calls: 1 } })).split('_')[1] ?? '';
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const asked = { ...onlyStored, key: 'a.png', key_id: payer, score: undefined, tools: ['entropy'] };
    await context.table.write([{ put: uploadKey('default', 'a.png'), body: asked }]);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    const full = new Fault('RateLimited', 'no room', { retry_after_seconds: 5 });
    const iqa = { ...context.iqa, engine: { ...engine, reserve: () => Promise.reject(full) } };

    for (let tries = 0; tries < 12; tries++) await assert.rejects(scoreUpload({ ...context, iqa }, object), /no room/);
    const waiting = readUpload((await context.table.get(uploadKey('default', 'a.png'))) ?? assert.fail());
    assert.deepEqual([waiting.status, waiting.attempts, waiting.failures], ['pending', 0, undefined]);
    assert.equal(await scoreUpload(context, object), 'scored');
    await context.recorder.flush();
    const { calls } = (await json<MonthUsage>('GET', '/v1/usage')).body;
    const { differences } = (await json<Verification>('GET', '/v1/usage/verification')).body;
    assert.deepEqual([calls, differences], [1, []]);
  });

  test('C.07 an event redelivered after its process crashed is handled at once, any other waits', async () => {
    const { context } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    const died = (attempts: number, failures?: number) => ({
      v: 1,
      key: 'a.png',
      key_id: 'admin',
      status: 'scoring',
      etag: 'e',
      attempts,
      failures,
      // Its last heartbeat was a minute ago.
      lease: { owner: 'dead', epoch: attempts, until: context.clock.now() + LEASE_MS - 60_000 },
      claimed_by: 'one',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const write = (body: object) => context.table.write([{ put: uploadKey('default', 'a.png'), body: { ...body } }]);
    await write(died(1));

    assert.equal(await scoreUpload(context, { ...object, delivery: 'two' }), 'underway');
    assert.equal(await scoreUpload(context, { ...object, delivery: 'one' }), 'scored');

    await write(died(10, 1));
    assert.equal(await scoreUpload(context, { ...object, delivery: 'one' }), 'scored');
    await write(died(10, 0));
    await assert.rejects(scoreUpload(context, { ...object, delivery: 'one' }), /ended its process 10 times/);
    const item = await context.table.get(uploadKey('default', 'a.png'));
    assert.equal(item && readUpload(item).status, 'failed');
  });

  test('X.04 a picture present at crashes fails only when it crashes a process that scores it alone', async () => {
    const { context } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    const about = { v: 1, key: 'a.png', key_id: 'admin', etag: 'e', created_at: '2026-01-01T00:00:00.000Z' };
    const body = { ...about, status: 'scoring', attempts: 50, tools: ['entropy'] };
    const folder = await mkdtemp(join(tmpdir(), 'assay-trial-'));
    const mortal = join(folder, 'mortal.mjs');
    await writeFile(mortal, "process.once('message', () => process.kill(process.pid, 'SIGKILL'));");
    const outcomes = [];
    for (const tryPicture of [tryInProcess(), tryInProcess(pathToFileURL(mortal))]) {
      await context.table.write([{ put: uploadKey('default', 'a.png'), body }]);
      const trying = { ...context, iqa: testIqa({ ...context, engine, tryPicture }) };
      const told = await scoreUpload(trying, object).catch(({ message }: Error) => message);
      const item = await context.table.get(uploadKey('default', 'a.png'));
      outcomes.push([told, item && readUpload(item).status]);
    }
    await rm(folder, { recursive: true });

    const blamed = 'a.png ended its process (SIGKILL) when it was scored apart; try a smaller picture';
    assert.deepEqual(outcomes, [
      ['scored', 'scored'],
      [blamed, 'failed'],
    ]);
  });

  test('X.04 a picture whose function ended on every try fails with the reason, unless another delivery handles it', async () => {
    const { context } = await shop();
    const event = objectCreated('images/default/a.png', 'e', 5, '01');
    const lease = { owner: 'dead', epoch: 3, until: context.clock.now() + LEASE_MS };
    const about = { v: 1, key: 'a.png', key_id: 'admin', etag: 'e', created_at: '2026-01-01T00:00:00.000Z' };
    const usedUp = {
      requestContext: { requestId: 'one', condition: 'RetriesExhausted', approximateInvokeCount: 3 },
      requestPayload: event,
      responsePayload: { errorMessage: 'Runtime exited with error: signal: killed' },
    };
    const outcomes = [];
    for (const [status, claimed_by] of [
      ['scoring', 'two'],
      ['scored', 'one'],
      ['scoring', 'one'],
    ]) {
      const body = { ...about, status, attempts: 3, claimed_by, lease };
      await context.table.write([{ put: uploadKey('default', 'a.png'), body }]);
      const isRecorded = await recordUsedUp(context, usedUp);
      const item = await context.table.get(uploadKey('default', 'a.png'));
      const { status: now, error, attempts } = viewUpload(readUpload(item as NonNullable<typeof item>));
      outcomes.push([isRecorded, now, attempts, error?.message]);
    }

    const said = 'scoring a.png ended its function 3 times: Runtime exited with error: signal: killed';
    assert.deepEqual(outcomes, [
      [false, 'pending', 3, undefined],
      [false, 'scored', 3, undefined],
      [true, 'failed', 3, `${said}; try a smaller picture`],
    ]);
    const scores = await context.blobs.get(scoresBlobKey('default', 'a.png'));
    assert.equal(JSON.parse(new TextDecoder().decode(scores)).status, 'failed');
    assert.equal(await recordUsedUp(context, usedUp), false);
  });

  test('X.04 an event is given up only after its picture’s failure is stored', async () => {
    const { context } = await shop();
    const folder = await mkdtemp(join(tmpdir(), 'assay-aside-'));
    const disk = { isFull: false };
    const change: UploadContext['table']['change'] = (keys, rule) => {
      if (disk.isFull && keys.some(({ sk }) => sk === 'UPLOAD')) throw new Error('database or disk is full');
      return context.table.change(keys, rule);
    };
    const uploads = localUploads({ ...context, table: { ...context.table, change } }, folder);
    const seen = [];
    for (const isFull of [true, false]) {
      disk.isFull = isFull;
      await uploads.store(imageBlobKey('default', `${isFull}.png`), new TextEncoder().encode('no picture'));
      await uploads.idle();
      const left = (await context.table.query(ACTIVE_UPLOADS_PK)).items.length;
      seen.push([left, (await readdir(join(folder, 'dead-letters')).catch(() => [])).length]);
    }
    await uploads.close();
    await rm(folder, { recursive: true });

    assert.deepEqual(seen, [
      [1, 0],
      [1, 1],
    ]);
  });

  test('C.07 a redelivery during the first try is not acknowledged', async () => {
    const { context } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = { ...readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01')), delivery: 'one' };
    const [slow, reading, release] = paused(context);
    const first = scoreUpload(slow, object);
    await reading;

    const thrown = await scoreUpload(context, object).catch((refused: unknown) => refused);
    assert.ok((secondsUntilFree(thrown) ?? 0) > 0, String(thrown));
    release();
    assert.equal(await first, 'scored');
    assert.equal(await scoreUpload(context, object), 'done');
  });

  test('X.04 a slow owner finds its upload taken over and neither charges nor writes', async () => {
    const { context, json } = await shop();
    const clock = movingClock();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    const [slow, reading, release] = paused({ ...context, clock });
    const first = scoreUpload(slow, object);
    await reading;
    clock.move(LEASE_MS + 1000);

    assert.equal(await scoreUpload({ ...context, clock }, object), 'scored');
    const stored = await context.table.get(uploadKey('default', 'a.png'));
    release();
    await assert.rejects(first, /taken over/);
    assert.deepEqual(await context.table.get(uploadKey('default', 'a.png')), stored);
    await context.recorder.flush();
    assert.equal((await json<MonthUsage>('GET', '/v1/usage')).body.calls, 1);
  });

  test('C.07 a picture whose reservation lapsed is charged once, though its new call was interrupted too', async () => {
    const { context, json } = await shop();
    await context.blobs.put(imageBlobKey('default', 'a.png'), picture);
    const object = readObjectCreated(objectCreated('images/default/a.png', 'e', 5, '01'));
    const lapsed = context.clock.newId();
    const about = { tool: 'score', version: 'operation', arguments: null, key: 'admin', at: new Date().toISOString() };
    const measured = { duration_ms: 0, cpu_ms: 0, cpu_percent: 0, memory_delta_bytes: 0, memory_peak_bytes: 0 };
    const ended = { ...about, ...measured, cached: false, attempts: 1, charged_micros: 0 };
    await context.recorder.keep('default', { call_id: lapsed, status: 'interrupted', ...ended }, true);
    const died = { v: 1, key: 'a.png', key_id: 'admin', status: 'scoring', call_id: lapsed, etag: 'e', claimed_at: 0 };
    const body = { ...died, tools: ['entropy'], attempts: 1, created_at: '2026-01-01T00:00:00.000Z' };
    await context.table.write([{ put: uploadKey('default', 'a.png'), body }]);
    // The process ends right after it has charged.
    const table = { ...context.table };
    const dying = { ...context, table, blobs: { ...context.blobs, put: () => Promise.reject(new Error('killed')) } };
    await assert.rejects(scoreUpload(dying, object), /killed/);

    assert.equal(await scoreUpload(context, object), 'scored');
    await context.recorder.flush();
    assert.equal((await json<MonthUsage>('GET', '/v1/usage')).body.calls, 1);
  });

  test('a picture announced with score: false is stored and neither scored nor charged', async () => {
    const { context } = await shop();
    await context.table.write([{ put: uploadKey('default', 'b.png'), body: onlyStored }]);
    await context.blobs.put(imageBlobKey('default', 'b.png'), picture);

    const object = readObjectCreated(objectCreated('images/default/b.png', 'e', 5, '01'));
    assert.equal(await scoreUpload(context, object), 'unasked');
    assert.equal(await scoreUpload(context, object), 'unasked');

    const item = await context.table.get(uploadKey('default', 'b.png'));
    assert.equal(item && viewUpload(readUpload(item)).status, 'unscored');
    assert.ok(await context.blobs.get(imageBlobKey('default', 'b.png')));
  });

  test('a file that is not a picture is deleted, also when announced with score: false', async () => {
    const { context } = await shop();
    await context.table.write([{ put: uploadKey('default', 'b.png'), body: onlyStored }]);
    await context.blobs.put(imageBlobKey('default', 'b.png'), new TextEncoder().encode('#!/bin/sh\n'.repeat(100)));

    const object = readObjectCreated(objectCreated('images/default/b.png', 'e', 5, '01'));
    await assert.rejects(scoreUpload(context, object), /cannot be read as a picture/);

    const item = await context.table.get(uploadKey('default', 'b.png'));
    assert.equal(item && viewUpload(readUpload(item)).status, 'failed');
    assert.equal(await context.blobs.get(imageBlobKey('default', 'b.png')), undefined);
  });

  test('reading a refused picture says why it was refused, and one left by a crash is deleted later', async () => {
    const { context } = await shop();
    const path = imageBlobKey('default', 'b.png');
    const read = testIqa({
      ...context,
      engine: context.iqa.engine,
      refusalOf: refusedPicture(context.table),
    }).readImage;
    await context.table.write([{ put: uploadKey('default', 'b.png'), body: onlyStored }]);
    await context.blobs.put(path, new TextEncoder().encode('#!/bin/sh\n'.repeat(100)));
    const seen: unknown[] = [];
    const blobs = {
      ...context.blobs,
      async remove() {
        seen.push((await context.table.get(uploadKey('default', 'b.png')))?.body.status);
        throw new Error('killed');
      },
    };
    const object = readObjectCreated(objectCreated('images/default/b.png', 'e', 5, '01'));

    await assert.rejects(scoreUpload({ ...context, blobs }, object), /killed/);
    assert.deepEqual(seen, ['failed']);
    await assert.rejects(scoreUpload(context, object), /b\.png cannot be read as a picture/);

    assert.equal(await context.blobs.get(path), undefined);
    await assert.rejects(read('default', 'b.png'), /b\.png cannot be read as a picture/);
    assert.equal(await read('default', 'other.png'), undefined);
  });

  test('an object larger than any picture is refused before it is read', async () => {
    const { context } = await shop();
    const huge = objectCreated('images/default/huge.png', 'e', 5e9, '01');

    await assert.rejects(scoreUpload(context, readObjectCreated(huge)), /5000000000 bytes; the limit is/);
  });

  test('events of objects outside the uploads are refused by their path', () => {
    for (const path of [
      'scores/default/a.json',
      'images/default/../evil/a.png',
      'images/Default/a.png',
      'images/default/.hidden',
      'images/default/a\u0000.png',
    ])
      assert.throws(() => readObjectCreated(objectCreated(path, 'e', 1, '1')), /is not of the form/, path);
    assert.throws(() => readObjectCreated({ detail: {} }), /not an Object Created event/);
  });

  test('the newest object is scored last, in any order of events', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 8 }), (order) => {
        let upload: Parameters<typeof claimUpload>[0];
        for (const each of order) {
          const object = { tenant: 't', key: 'k', etag: `e${each}`, sequencer: (each * 0x111).toString(16) };
          const claim = claimUpload(upload, object, 0, { newId: `c${each}`, owner: 'o' });
          if (claim.todo === 'score') upload = { ...claim.upload, status: 'scored' };
        }
        assert.equal(upload?.etag, 'e8');
      }),
    );
  });
});
