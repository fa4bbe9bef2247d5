import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAssay } from '../support/assay.ts';

test('no two paths of a method are ambiguous, so one regular expression finds every route', async () => {
  const { app, request } = await testAssay();

  assert.equal((await request('GET', '/healthz')).status, 200);
  // Hono falls back to its slower trie as soon as one path, such as /v1/tools/check beside /v1/tools/:name/invoke, is.
  assert.equal(app.router.name, 'SmartRouter + RegExpRouter');
});
