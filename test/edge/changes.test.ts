import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { behindCloudFront } from '../../functions/api/behind-cloudfront.ts';
import { createEdgeStore } from '../../functions/edge/store.ts';
import { handleStream } from '../../functions/stream/handle.ts';
import { keyAttributes } from '../../shared/adapters/aws/dynamo-items.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { edgeBeatKey } from '../../shared/kernel/item-keys.ts';
import type { Blobs, Item } from '../../shared/kernel/ports.ts';
import { storeBeat } from '../../shared/registry/edge-beat.ts';
import { publishAsOf } from '../../shared/registry/publish.ts';
import { ADMIN_KEY } from '../support/assay.ts';
import { callEdge, edgeEvent, edgeOn, type Headers } from '../support/edge.ts';
import { type EdgeWorld, fillEdgeWorld, idOf, makeEdgeWorld } from '../support/edge-world.ts';

const start = async (
  blobs?: Blobs,
): Promise<EdgeWorld & { ask(path: string, key: string): ReturnType<typeof callEdge> }> => {
  const world = await makeEdgeWorld(blobs);
  await world.register('acme', { name: 'first' });
  await world.publish();
  const { handler } = edgeOn(world.blobs, world.clock);
  const ask = (path: string, key: string) =>
    callEdge(handler, edgeEvent(path, { authorization: `Bearer ${key}` } satisfies Headers));
  return { ...world, ask };
};

test('a revoked key is refused within 60 seconds, as the API refuses it', async () => {
  const { given, keys, clock, publish, ask } = await start();
  const { acme = '' } = keys;
  assert.equal((await ask('/v1/tools', acme)).status, 200);

  await given.request('DELETE', `/v1/keys/${idOf(acme)}`, undefined, ADMIN_KEY, { 'assay-tenant': 'acme' });
  await publish();
  clock.ms += 59_000;

  const refused = await ask('/v1/tools', acme);
  assert.equal(refused.status, 401);
  assert.match(refused.body ?? '', /was revoked/);
});

test('a revoked key is forwarded to the origin within 60 seconds when publishing has stopped', async () => {
  const { given, keys, clock, ask } = await start();
  const { acme = '' } = keys;
  assert.equal((await ask('/v1/tools', acme)).status, 200);

  await given.request('DELETE', `/v1/keys/${idOf(acme)}`, undefined, ADMIN_KEY, { 'assay-tenant': 'acme' });
  clock.ms += 40_001;

  const { passed } = await ask('/v1/tools', acme);
  assert.equal(passed?.headers['x-assay-beat']?.[0]?.value, 'due');
});

test('one request renews the published time through the stream, while the others are answered', async () => {
  const { given, keys, clock, blobs, ask } = await start();
  const { acme = '' } = keys;
  const { assay, app } = given;
  const origin = behindCloudFront(app, { guard: () => true, beat: () => storeBeat(assay) });
  clock.ms += 25_000;

  const first = await ask('/v1/tools', acme);
  const second = await ask('/v1/tools', acme);
  const headers = { authorization: `Bearer ${acme}`, 'x-assay-beat': 'due' };
  const answers = [await origin.fetch(new Request('https://origin/v1/tools', { headers }))];
  const beat = await assay.table.get(edgeBeatKey);
  clock.ms += 5000;
  answers.push(await origin.fetch(new Request('https://origin/v1/tools', { headers })));
  const unchanged = await assay.table.get(edgeBeatKey);
  await handleStream(
    { publish: async () => {}, publishAsOf: (at) => publishAsOf(blobs, at) },
    { Records: [{ eventID: '1', dynamodb: { Keys: keyAttributes(edgeBeatKey), NewImage: imageOf(beat) } }] },
  );
  clock.ms += 15_000;

  assert.ok(first.passed);
  assert.equal(second.status, 200);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(unchanged, beat);
  // Without the new time, what is published would be 45 s old by now.
  assert.equal((await ask('/v1/tools', acme)).status, 200);
});

const imageOf = (item: Item | undefined) => ({
  ...keyAttributes(edgeBeatKey),
  revision: { N: '1' },
  stamp: { S: 'x' },
  body: { S: JSON.stringify(item?.body) },
});

test('an expired key is refused at the edge at once', async () => {
  const { keys, clock, ask } = await start();
  const { expiring = '' } = keys;
  assert.equal((await ask('/v1/tools', expiring)).status, 200);

  clock.ms = Date.parse('2026-11-01T01:00:00Z');

  assert.equal((await ask('/v1/tools', expiring)).status, 401);
});

test('a key that is not published yet is forwarded to the origin, and answered at the edge later', async () => {
  const { makeKey, clock, publish, ask } = await start();
  const key = await makeKey({ tenant: 'acme', scopes: ['read'] });
  assert.ok((await ask('/v1/tools', key)).passed);

  await publish();
  clock.ms += 20_000;

  assert.equal((await ask('/v1/tools', key)).status, 200);
});

test('a change is visible at the edge within 20 seconds, and a tool too new for the edge is forwarded', async () => {
  const { keys, clock, register, publish, ask } = await start();
  const { acme = '' } = keys;
  assert.ok((await ask('/v1/tools/second', acme)).passed);

  await register('acme', { name: 'second' });
  await publish();
  clock.ms += 20_000;

  assert.equal((await ask('/v1/tools/second', acme)).status, 200);
});

test('the edge caches for 20 seconds without reading, then revalidates in one request', async () => {
  const world = await makeEdgeWorld();
  await fillEdgeWorld(world);
  await world.publish();
  const journeys = inJourneys(world.blobs);
  const { handler, reads } = edgeOn(journeys.blobs, world.clock);
  const ask = () => callEdge(handler, edgeEvent('/v1/tools', { authorization: `Bearer ${world.keys.acme}` }));

  await ask();
  const first = reads.length;
  for (const after of [100, 2500, 17_000]) {
    world.clock.ms += after;
    assert.equal((await ask()).status, 200);
    assert.equal(reads.length, first);
  }
  world.clock.ms += 1000;
  journeys.count = 0;
  await ask();

  assert.deepEqual(reads.slice(first).sort(), [
    'edge/as-of.json',
    `edge/keys/${idOf(world.keys.acme ?? '')}.json`,
    'edge/layer/current.json',
    'edge/tenants/acme/current.json',
  ]);
  assert.equal(journeys.count, 1);
});

/** Blobs that answer all that was asked for together, and count how often they had to. */
const inJourneys = (inner: Blobs) => {
  let waiting: Promise<unknown> | undefined;
  const journeys = {
    count: 0,
    blobs: {
      ...inner,
      async get(key: string) {
        waiting ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
          journeys.count++;
          waiting = undefined;
        });
        await waiting;
        return inner.get(key);
      },
    },
  };
  return journeys;
};

test('the edge’s catalogue cache is limited by bytes and evicts the least recently used', async () => {
  const reads: string[] = [];
  const families = { v: 1, families: [] };
  const store = createEdgeStore({
    now: () => 0,
    maxBytes: 3_000_000,
    read: async <T>(key: string) => {
      reads.push(key);
      if (key.startsWith('edge/layer/'))
        return (key.endsWith('current.json') ? { v: 1, file: 'edge/layer/l' } : families) as T;
      if (!key.endsWith('current.json')) return families as T;
      return { v: 1, revision: 1, file: `${key}.file`, bytes: 1_000_000 } as T;
    },
  });

  for (const tenant of ['a', 'b', 'c', 'c', 'a']) assert.ok(await store.catalog(tenant));

  const bodies = reads.filter((key) => key.endsWith('.file')).map((key) => key.split('/')[2]);
  assert.deepEqual(bodies, ['a', 'b', 'c', 'a']);
});

test('an answer over 900 KB is forwarded to the origin', async () => {
  const { keys, clock, register, publish, ask } = await start();
  for (let n = 0; n < 16; n++)
    await register('acme', { name: `large_${n}`, instructions: 'é'.repeat(16_000), description: 'x'.repeat(8000) });
  for (let n = 0; n < 8; n++) await register('acme', { name: `larger_${n}`, instructions: '图'.repeat(16_000) });
  await publish();
  clock.ms += 5000;

  assert.ok((await ask('/v1/tools?limit=1000', keys.acme ?? '')).passed);
  assert.equal((await ask('/v1/tools?limit=10', keys.acme ?? '')).status, 200);
});

test('when published files cannot be read, the edge forwards to the origin', async () => {
  const whole = memoryBlobs();
  let isBroken = false;
  const { keys, clock, ask } = await start({
    ...whole,
    get: async (key) => (isBroken ? Promise.reject(new Error('the network is gone')) : whole.get(key)),
  });
  assert.equal((await ask('/v1/tools', keys.acme ?? '')).status, 200);
  isBroken = true;
  clock.ms += 60_000;

  assert.ok((await ask('/v1/tools', keys.acme ?? '')).passed);
});

test('when a pointer is dangling or the shared layer is not published, the edge forwards to the origin', async () => {
  const { keys, blobs, register, publish, ask } = await start();
  await register('acme', { name: 'long', instructions: 'x'.repeat(16_000), description: 'y'.repeat(2000) });
  await publish();
  for (const file of await blobs.list('edge/tenants/acme/'))
    if (!file.endsWith('current.json')) await blobs.remove(file);
  for (const file of await blobs.list('edge/layer/')) await blobs.remove(file);

  assert.ok((await ask('/v1/tools', keys.acme ?? '')).passed);
  assert.ok((await ask('/v1/tools', keys.globex ?? '')).passed);
});

test('no tenant ever gets another’s answer from the edge, in any order of requests and changes', async () => {
  const tenants = ['acme', 'globex', 'empty'] as const;
  const step = fc.record({
    tenant: fc.constantFrom(...tenants),
    path: fc.constantFrom(
      '/v1/tools',
      '/v1/providers/openai/tools',
      '/v1/prompt',
      '/v1/providers/mcp/tools?explain=true',
    ),
    registers: fc.boolean(),
    wait: fc.constantFrom(0, 500, 5000, 40_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const { keys, clock, register, publish, ask } = await start();
      for (const tenant of tenants) await register(tenant, { name: 'secret', description: `belongs to ${tenant}` });
      await publish();
      let count = 0;
      for (const { tenant, path, registers, wait } of steps) {
        clock.ms += wait;
        if (registers) await register(tenant, { name: `more_${++count}`, description: `belongs to ${tenant}` });
        await publish();
        const { body = '' } = await ask(path, keys[tenant] ?? '');
        assert.ok(body.includes(`belongs to ${tenant}`));
        for (const other of tenants) if (other !== tenant) assert.ok(!body.includes(`belongs to ${other}`));
      }
    }),
    { numRuns: 15 },
  );
});
