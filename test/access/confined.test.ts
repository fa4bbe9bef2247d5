import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import type { Snapshot } from '../../shared/model/registration.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const shop = async () => {
  const blobs = memoryBlobs();
  const server = await testAssay({ blobs, startRuns: (context) => localRuns(context, blobs) });
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

  test('a confined key starts, reads, approves and cancels no run with a tool that it does not see', async () => {
    const { json, request, status, key } = await shop();
    await json('POST', '/v1/tools', aTool({ name: 'asks', permission: 'confirm' }));
    const node = (id: string, tool: string) => ({ id, tool, arguments: { city: 'Bern' } });
    const plan = { nodes: [node('a', 'theirs'), node('b', 'asks')] };
    const { plan_id: id } = (await json<{ plan_id: string }>('POST', '/v1/plans', plan)).body;
    const { run_id: run } = (await json<{ run_id: string }>('POST', `/v1/plans/${id}/runs`, {})).body;
    const approver = await key({ scopes: ['approve', 'read'], tools: ['mine'] });
    const consent = await json('POST', `/v1/runs/${run}/nodes/b/confirm`, { approve: true }, approver);
    const task = await request('POST', '/mcp', taskRequest(run), approver, taskHeaders);
    const told = [
      await status('POST', `/v1/plans/${id}/runs`, {}),
      await status('POST', `/v1/plans/${id}/runs`, { dry_run: true }),
      await status('GET', `/v1/runs/${run}`),
      consent.status,
      await status('DELETE', `/v1/runs/${run}`),
    ];
    const after = await json<{ status: string }>('GET', `/v1/runs/${run}`);
    // A run that waits for a person would keep a failed test from ending.
    await json('DELETE', `/v1/runs/${run}`);

    assert.deepEqual(told, [404, 404, 404, 404, 404]);
    assert.match(await task.text(), /there is no task/);
    assert.equal(after.body.status, 'running');
    const { plan_id: own } = (await json<{ plan_id: string }>('POST', '/v1/plans', { nodes: [node('a', 'mine')] }))
      .body;
    assert.equal(await status('POST', `/v1/plans/${own}/runs`, {}), 201);
  });

  test('a confined tenant administrator reads and revokes only keys, usage and audit entries within its tools', async () => {
    const { json, key } = await shop();
    const ruler = await key({ scopes: ['tenant_admin'], tools: ['mine'] });
    const made = async (body: object) => (await json<{ id: string }>('POST', '/v1/keys', body)).body.id;
    const [whole, within] = [await made({ scopes: ['read'] }), await made({ scopes: ['read'], tools: ['mine'] })];
    await json('POST', '/v1/tools/theirs/invoke', { arguments: { city: 'Bern' } });

    const { body } = await json<{ keys: { id: string }[] }>('GET', '/v1/keys', undefined, ruler);
    assert.ok(body.keys.some(({ id }) => id === within) && !body.keys.some(({ id }) => id === whole));
    const revoke = async (id: string) => (await json('DELETE', `/v1/keys/${id}`, undefined, ruler)).status;
    assert.deepEqual([await revoke(whole), await revoke(within)], [404, 204]);
    for (const path of ['/v1/usage', '/v1/audit'])
      assert.doesNotMatch(JSON.stringify((await json('GET', path, undefined, ruler)).body), /theirs/, path);
  });

  test('a confined key cannot create a key that sees more tools than itself', async () => {
    const { status } = await shop();

    assert.equal(await status('POST', '/v1/keys', { scopes: ['read'] }), 403);
    assert.equal(await status('POST', '/v1/keys', { scopes: ['read'], tools: ['mine', 'theirs'] }), 403);
    assert.equal(await status('POST', '/v1/keys', { scopes: ['read'], tools: ['mine'] }), 201);
  });
});

const taskHeaders = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tasks/get',
};

const taskRequest = (taskId: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tasks/get',
  params: {
    taskId,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
  },
});
