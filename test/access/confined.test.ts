import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import type { Snapshot } from '../../shared/model/registration.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const shop = async () => {
  const server = await testAssay({ blobs: memoryBlobs() });
  for (const name of ['mine', 'theirs']) await server.json('POST', '/v1/tools', aTool({ name }));
  const confined = await server.key({ scopes: ['read', 'invoke', 'write', 'admin'], tools: ['mine', 'new'] });
  const status = async (method: string, path: string, body?: unknown) =>
    (await server.json(method, path, body, confined)).status;
  return { ...server, confined, status };
};

describe('a key confined to some tools', () => {
  test('a confined key changes only its own tools: every change of another tool is Forbidden and changes nothing', async () => {
    const { json, status } = await shop();

    for (const [method, path, body] of [
      ['POST', '/v1/tools', aTool({ name: 'other' })],
      ['POST', '/v1/tools', aTool({ name: 'theirs', version: '9.0.0' })],
      ['PATCH', '/v1/tools/theirs', { enabled: false }],
      ['DELETE', '/v1/tools/theirs', undefined],
      ['DELETE', '/v1/tools/theirs@1.0.0', undefined],
      ['PUT', '/v1/lists/blacklist/theirs', { reason: 'no' }],
      ['DELETE', '/v1/lists/blacklist/theirs', undefined],
      ['PUT', '/v1/grants/admin/theirs', { expires_at: new Date(Date.now() + 60_000).toISOString() }],
    ] as const)
      assert.equal(await status(method, path, body), 403, `${method} ${path}`);

    const { body } = await json<{ enabled: boolean; versions: string[] }>('GET', '/v1/tools/theirs');
    assert.deepEqual([body.enabled, body.versions.length], [true, 1]);
    assert.equal((await json('GET', '/v1/tools/other')).status, 404);
    assert.equal(await status('POST', '/v1/tools', aTool({ name: 'new' })), 201);
    assert.equal(await status('PATCH', '/v1/tools/mine', { enabled: false }), 200);
  });

  test('a confined key reads another tool as if it did not exist', async () => {
    const { json, request, status, confined } = await shop();
    await json('PUT', '/v1/lists/blacklist/theirs', { reason: 'slow' });
    const plan = { nodes: [{ id: 'a', tool: 'theirs', arguments: { city: 'Bern' } }] };
    const { body: made } = await json<{ plan_id: string }>('POST', '/v1/plans', plan);

    for (const path of [
      '/v1/tools/theirs',
      '/v1/tools/theirs/versions',
      '/v1/tools/theirs/stats',
      '/v1/tools/theirs/stats?version=all',
      `/v1/plans/${made.plan_id}`,
      `/v1/plans/${made.plan_id}/picture`,
    ])
      assert.equal(await status('GET', path), 404, path);
    assert.equal(await status('POST', '/v1/tools/theirs/invoke', { arguments: { city: 'Bern' } }), 404);
    assert.equal(await status('POST', '/v1/plans', plan), 400);
    for (const path of [
      '/v1/tools',
      '/v1/tools?q=weather',
      '/v1/snapshot',
      '/v1/events?after=0',
      '/v1/lists/blacklist',
    ]) {
      const response = await request('GET', path, undefined, confined, { accept: 'application/json' });
      assert.equal(response.status, 200, path);
      assert.doesNotMatch(await response.text(), /theirs/, path);
    }
  });

  test('a confined key exports a snapshot of its tools only, and importing it leaves the others unchanged', async () => {
    const { json, confined, status } = await shop();
    const { body: whole } = await json<Snapshot>('GET', '/v1/snapshot');
    const { body: own } = await json<Snapshot>('GET', '/v1/snapshot', undefined, confined);
    assert.deepEqual(
      own.tools.map(({ spec }) => spec.name),
      ['mine'],
    );

    assert.equal(await status('POST', '/v1/snapshot', whole), 403);
    assert.equal(await status('DELETE', '/v1/tools/mine'), 204);
    assert.equal(await status('POST', '/v1/snapshot', own), 200);

    const { body: after } = await json<Snapshot>('GET', '/v1/snapshot');
    assert.deepEqual(
      after.tools.map(({ spec }) => spec.name),
      ['mine', 'theirs'],
    );
  });

  test('a confined key cannot create a key that sees more tools than itself', async () => {
    const { status } = await shop();

    assert.equal(await status('POST', '/v1/keys', { scopes: ['read'] }), 403);
    assert.equal(await status('POST', '/v1/keys', { scopes: ['read'], tools: ['mine', 'theirs'] }), 403);
    assert.equal(await status('POST', '/v1/keys', { scopes: ['read'], tools: ['mine'] }), 201);
  });
});
