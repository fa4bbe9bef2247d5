import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createApp } from '../../functions/api/app.ts';
import { routes } from '../../functions/api/routes/table.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { createKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import type { Scope } from '../../shared/model/key.ts';
import { recordingLog } from '../support/recording-log.ts';
import { aTool } from '../support/tools.ts';

const SCOPES: Scope[] = ['read', 'invoke', 'write', 'approve', 'tenant_admin'];
const MARKER = 'what-only-the-owner-knows';

const folder = await mkdtemp(join(tmpdir(), 'assay-ids-'));
const opened = localAssay({
  data: folder,
  environment: readEnvironment({ ASSAY_DEFAULT_RATE: 'off' }),
  log: recordingLog(),
  base: () => 'http://127.0.0.1:1',
  discover: async () => [],
});
after(async () => {
  await (await opened).close();
  await rm(folder, { recursive: true });
});

const client = async (tenant: string, scopes = SCOPES) => {
  const assay = await opened;
  const app = createApp(assay);
  const { id, key } = await createKey(assay, adminActor(), { tenant, scopes });
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await app.request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, never>,
    };
  };
  return { id, send };
};

/** One of everything that has an id, made by its owner. */
const possessions = async ({ id: keyId, send }: Awaited<ReturnType<typeof client>>) => {
  const tool = 'tool_of_owner';
  await send('POST', '/v1/tools', aTool({ name: tool, description: MARKER, tags: [MARKER] }));
  const call = await send('POST', '/v1/tools/hash/invoke', { arguments: { text: MARKER } });
  const nodes = [{ id: 'a', tool: 'hash', arguments: { text: MARKER } }];
  const plan = await send('POST', '/v1/plans', { nodes, name: MARKER });
  const run = await send('POST', `/v1/plans/${plan.body.plan_id}/runs`, {});
  // What changes by itself would look changed by the stranger.
  while ((await send('GET', `/v1/runs/${run.body.run_id}`)).body.status === 'running') await setTimeout(20);
  const upload = await send('POST', '/v1/uploads', { content_type: 'image/png' });
  const asking = aTool({ name: 'asks', description: MARKER, permission: 'confirm' });
  await send('POST', '/v1/tools', asking);
  const agent = await client('owner', ['invoke']);
  const asked = await agent.send('POST', '/v1/tools/asks/invoke', { arguments: { city: MARKER } });
  const confirmation = (asked.body as { error?: { details?: { confirmation?: { token?: string } } } }).error?.details
    ?.confirmation?.token;
  const ids = [tool, call.body.call_id, plan.body.plan_id, run.body.run_id, upload.body.key, keyId, confirmation];
  assert.ok(!ids.includes(undefined), JSON.stringify(ids));
  return ids as unknown as string[];
};

describe('ids of another tenant', () => {
  test('X.01 an id of another tenant reveals and changes nothing, on any route and in any place', async () => {
    const owner = await client('owner');
    const ids = await possessions(owner);
    const views = [
      '/v1/tools?limit=100',
      '/v1/keys',
      '/v1/runs',
      '/v1/executions?limit=50',
      '/v1/grants',
      '/v1/confirmations',
    ];
    const seen = async () => (await Promise.all(views.map((path) => owner.send('GET', path)))).map(({ text }) => text);
    const before = await seen();
    assert.ok(before.join().includes(MARKER), 'the owner sees it');
    const stranger = await client('stranger');

    let probes = 0;
    for (const { method, path, scope } of routes)
      for (const id of ids) {
        if (scope === 'public' || (!path.includes(':') && id !== ids[0])) continue;
        const verb = method === 'all' ? 'POST' : method.toUpperCase();
        const filled = path.replaceAll(/:(\w+)/g, (_, name) =>
          name === 'kind' ? 'blacklist' : encodeURIComponent(id),
        );
        const { status, text } = await stranger.send(verb, filled, verb === 'GET' ? undefined : {});
        probes++;
        assert.ok(!text.includes(MARKER), `${verb} ${filled}: ${status} ${text.slice(0, 200)}`);
        assert.notEqual(status, 500, `${verb} ${filled}`);
      }

    assert.ok(probes > 250, `${probes} probes`);
    assert.deepEqual(await seen(), before);
  });
});
