import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { NodeView, RunView } from '../../shared/model/run.ts';
import { testAssay } from '../support/assay.ts';
import { fakeUpstream } from '../support/mcp-upstream.ts';
import { testSources } from '../support/sources.ts';
import { aTool } from '../support/tools.ts';

const page = { name: 'page', description: 'Reads a page', inputSchema: { type: 'object' } };

test('X.17 a granted tool whose input comes from a source asks a person first, who sees the source', async (t) => {
  const upstream = await fakeUpstream(t, [page]);
  const blobs = memoryBlobs();
  const { json, assay } = await testAssay({
    blobs,
    sources: testSources(),
    startRuns: (context) => localRuns(context, blobs),
  });
  t.after(() => assay.close());
  await json('POST', '/v1/sources', { name: 'web', kind: 'mcp', url: upstream.url, permission: 'safe' });
  const send = aTool({ name: 'send', permission: 'dangerous', parameters: { type: 'object' } });
  await json('POST', '/v1/tools', send);
  const key = (await json<{ id: string; key: string }>('POST', '/v1/keys', { scopes: ['read', 'write', 'invoke'] }))
    .body;
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  await json('PUT', `/v1/grants/${key.id}/send`, { expires_at });
  const nodes = [
    { id: 'read', tool: 'web_page' },
    { id: 'send', tool: 'send', arguments: { text: { $from: 'read' } } },
  ];
  const plan = (await json<Plan>('POST', '/v1/plans', { nodes }, key.key)).body;
  assert.deepEqual(plan.nodes[1]?.from_upstream, ['text'], JSON.stringify(plan));

  const started = (await json<RunView>('POST', `/v1/plans/${plan.plan_id}/runs`, {}, key.key)).body;
  const look = async (): Promise<NodeView | undefined> =>
    (await json<RunView>('GET', `/v1/runs/${started.run_id}`)).body.nodes.find(({ id }) => id === 'send');
  let node = await look();
  while (node?.status === 'pending') {
    await wait(10);
    node = await look();
  }
  assert.deepEqual([node?.status, node?.from_upstream, node?.attempts], ['waiting_approval', ['text'], []]);
  await json('POST', `/v1/runs/${started.run_id}/nodes/send/confirm`, { approve: false });
});
