import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SourceView } from '../../shared/sources/view.ts';
import { testAssay } from '../support/assay.ts';
import { testSources } from '../support/sources.ts';

const growing = fileURLToPath(new URL('../support/growing-server.ts', import.meta.url));

test('X.16 a source that sends list_changed is refreshed at once, and its new tools wait for approval', async (t) => {
  const product = await testAssay({ sources: testSources({ plant: { command: process.execPath, args: [growing] } }) });
  t.after(() => product.assay.close());
  const source = { name: 'plant', kind: 'mcp', url: 'http://127.0.0.1/unused', permission: 'safe' };
  const added = await product.json<SourceView>('POST', '/v1/sources', source);
  assert.equal(added.body.tools, 1, added.body.error);
  assert.equal((await product.json('POST', '/v1/tools/plant_grow/invoke', { arguments: {} })).status, 200);
  let drift: SourceView['drift'] = [];
  for (let at = 0; at < 100 && drift.length === 0; at++) {
    await setTimeout(50);
    ({ drift } = (await product.json<SourceView>('GET', '/v1/sources/plant')).body);
  }
  assert.deepEqual(drift, [{ tool: 'plant_grown', from: null, to: '1.0.0', change: 'added' }]);
});
