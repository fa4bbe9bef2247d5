import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { apiKeyKey, revisionKey, toolKey } from '../../shared/kernel/item-keys.ts';
import type { Blobs } from '../../shared/kernel/ports.ts';
import { publishChanges, publishTenant } from '../../shared/registry/publish.ts';
import type { Pointer, PublishedFamilies, PublishedKey } from '../../shared/registry/published.ts';
import { ADMIN_KEY } from '../support/assay.ts';
import { idOf, makeEdgeWorld } from '../support/edge-world.ts';

const read = async <T>(blobs: Blobs, key: string): Promise<T> =>
  JSON.parse(new TextDecoder().decode((await blobs.get(key)) ?? new Uint8Array())) as T;

const pointerOf = (blobs: Blobs): Promise<Pointer> => read(blobs, 'edge/tenants/acme/current.json');

/** Keeps the order of writes. */
const watched = (): { readonly blobs: Blobs; readonly writes: string[] } => {
  const inner = memoryBlobs();
  const writes: string[] = [];
  const put: Blobs['put'] = (key, bytes, type) => {
    writes.push(key);
    return inner.put(key, bytes, type);
  };
  return { blobs: { ...inner, put }, writes };
};

test('publishing writes the file before its pointer, and a published file never changes', async () => {
  const { blobs, writes } = watched();
  const { register, given } = await makeEdgeWorld(blobs);
  const context = { table: given.assay.table, blobs };

  for (const name of ['one', 'two', 'three']) {
    await register('acme', { name });
    await publishChanges(context, [revisionKey('acme')]);
  }

  const files = writes.filter((key) => !key.endsWith('current.json'));
  assert.equal(new Set(files).size, files.length);
  assert.deepEqual(
    writes.map((key) => key.endsWith('current.json')),
    [false, true, false, true, false, true],
  );
  const { file = '', revision } = await pointerOf(blobs);
  assert.equal(revision, 3);
  const { families } = await read<PublishedFamilies>(blobs, file);
  assert.deepEqual(families.map(({ name }) => name).sort(), ['one', 'three', 'two']);
});

test('publishing keeps one previous file for readers that just read its pointer', async () => {
  const { blobs, register, given } = await makeEdgeWorld();
  for (let n = 0; n < 6; n++) {
    await register('acme', { name: `tool_${n}` });
    await publishTenant({ table: given.assay.table, blobs }, 'acme');
  }

  assert.equal((await blobs.list('edge/tenants/acme/')).length, 3);
});

test('publishing writes nothing when nothing has changed', async () => {
  const { blobs, writes } = watched();
  const { publish } = await makeEdgeWorld(blobs);
  await publish();
  const ofTools = () => writes.filter((key) => /^edge\/(tenants|layer)\//.test(key)).length;
  const before = ofTools();

  await publish();

  assert.equal(ofTools(), before);
});

test('a slow publisher that overwrote a newer pointer corrects it', async () => {
  const inner = memoryBlobs();
  const { register, given } = await makeEdgeWorld(inner);
  await register('acme', { name: 'one' });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = true;
  const slow: Blobs = {
    ...inner,
    async put(key, bytes, type) {
      if (isHeld && key.endsWith('current.json')) {
        isHeld = false;
        await held;
      }
      await inner.put(key, bytes, type);
    },
  };
  const table = given.assay.table;

  const slowly = publishTenant({ table, blobs: slow }, 'acme');
  while (isHeld) await new Promise((resolve) => setImmediate(resolve));
  await register('acme', { name: 'two' });
  await publishTenant({ table, blobs: inner }, 'acme');
  release();
  await slowly;

  const { revision, file = '' } = await pointerOf(inner);
  assert.equal(revision, 2);
  assert.equal((await read<PublishedFamilies>(inner, file)).families.length, 2);
});

test('a tenant too large for the edge gets a pointer to nothing', async () => {
  const { blobs, register, given } = await makeEdgeWorld();
  await register('acme', { name: 'one' });

  await publishTenant({ table: given.assay.table, blobs, maxBytes: 100 }, 'acme');

  assert.deepEqual(await pointerOf(blobs), { v: 1, revision: 1 });
});

test('a key is published without its secret, name and quota, but with its expiry', async () => {
  const { blobs, given, keys } = await makeEdgeWorld();
  const id = idOf(keys.acme ?? '');
  const context = { table: given.assay.table, blobs };
  await publishChanges(context, [apiKeyKey(id), toolKey('acme', 'no matter')]);
  const key = await read<PublishedKey>(blobs, `edge/keys/${id}.json`);
  assert.deepEqual(Object.keys(key).sort(), ['created_at', 'digest', 'id', 'scopes', 'tenant', 'v']);
  assert.ok(!JSON.stringify(key).includes((keys.acme ?? '').split('_')[2] ?? 'nothing'));

  await given.request('DELETE', `/v1/keys/${id}`, undefined, ADMIN_KEY, { 'assay-tenant': 'acme' });
  await publishChanges(context, [apiKeyKey(id)]);

  assert.ok((await read<PublishedKey>(blobs, `edge/keys/${id}.json`)).revoked_at);
});

test('a tenant’s first key publishes the tenant, so that the edge answers with shipped tools', async () => {
  const { blobs, given, keys } = await makeEdgeWorld();

  await publishChanges({ table: given.assay.table, blobs }, [apiKeyKey(idOf(keys.empty ?? ''))]);

  const pointer = await read<Pointer>(blobs, 'edge/tenants/empty/current.json');
  assert.equal(pointer.revision, 0);
  assert.deepEqual((await read<PublishedFamilies>(blobs, pointer.file ?? '')).families, []);
});
