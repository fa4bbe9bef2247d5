import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createApp } from '../../functions/api/app.ts';
import { consoleRoutes } from '../../functions/cli/console-files.ts';
import { buildConsole } from '../../functions/console/build.ts';
import { testAssay } from '../support/assay.ts';

const BUDGET = 60 * 1024;

describe('the console’s files', () => {
  test('scripts and styles together stay within 60 KB gzipped', async () => {
    const files = [...(await buildConsole())].filter(([path]) => /\.(js|css)$/.test(path));

    const bytes = files.reduce((sum, [, { body }]) => sum + gzipSync(body).length, 0);
    assert.equal(files.length, 2);
    assert.ok(bytes <= BUDGET, `${bytes} bytes`);
  });

  test('the page is served with a policy that allows nothing inline and nothing from elsewhere', async () => {
    const { assay } = await testAssay();
    const app = createApp(assay, { routes: consoleRoutes() });

    const page = await app.request('/');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.equal(page.status, 200);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(await page.text(), /<style|style=|<script(?![^>]*src=)|https?:\/\//);
  });

  test('a file that is known is not sent again, and one that is not there is not found', async () => {
    const { assay } = await testAssay();
    const app = createApp(assay, { routes: consoleRoutes() });

    const first = await app.request('/console/app.js');
    const again = await app.request('/console/app.js', {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    assert.equal(first.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(again.status, 304);
    assert.equal((await app.request('/console/secret.txt')).status, 404);
    assert.equal((await app.request('/console/../package.json')).status, 404);
  });
});
