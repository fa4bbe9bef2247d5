import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceView } from '../../shared/sources/view.ts';
import { testAssay } from '../support/assay.ts';
import { fakeUpstream } from '../support/mcp-upstream.ts';
import { testSources } from '../support/sources.ts';

const echo = {
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

test('X.16 the tools of an MCP server are registered and answer through the registry', async (t) => {
  const upstream = await fakeUpstream(t, [echo]);
  const { json, assay } = await testAssay({ sources: testSources() });
  t.after(() => assay.close());
  const added = await json<SourceView>('POST', '/v1/sources', {
    name: 'demo',
    kind: 'mcp',
    url: upstream.url,
    permission: 'safe',
  });
  assert.equal(added.status, 201);
  assert.equal(added.body.status, 'ok', added.body.error);
  assert.equal(added.body.tools, 1);
  const called = await json<{ output: unknown; version: string }>('POST', '/v1/tools/demo_echo/invoke', {
    arguments: { text: 'hi' },
  });
  assert.deepEqual(called.body.output, '{"text":"hi"}');
  assert.equal(called.body.version, '1.0.0');
});
