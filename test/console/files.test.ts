import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createApp } from '../../functions/api/app.ts';
import { consoleRoutes } from '../../functions/cli/console-files.ts';
import { buildConsole } from '../../functions/console/build.ts';
import { testAssay } from '../support/assay.ts';

const BUDGET = 60 * 1024;

describe('the console’s files', () => {
  test('X.27 the first page loads at most 60 KB gzipped, and other pages load on demand', async () => {
    const files = await buildConsole();
    const page = new TextDecoder().decode(files.get('index.html')?.body);
    const first = [...page.matchAll(/"\/(console\/[^"?]+)/g)].map(([, path = '']) => path);

    const bytes = ['index.html', ...first].reduce(
      (sum, path) => sum + gzipSync(files.get(path)?.body ?? Buffer.alloc(0)).length,
      0,
    );
    assert.ok(first.includes('console/app.js') && first.every((path) => files.has(path)), first.join(' '));
    assert.ok(bytes <= BUDGET, `${bytes} bytes`);
    const scripts = [...files.keys()].filter((path) => path.endsWith('.js'));
    assert.ok(scripts.length > first.length, 'some scripts are not loaded at first');
  });

  test('the console’s content security policy allows nothing inline and nothing from elsewhere', async () => {
    const { assay } = await testAssay();
    const app = createApp(assay, { routes: consoleRoutes() });

    const page = await app.request('/');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.equal(page.status, 200);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(await page.text(), /<style|style=|<script(?![^>]*src=)|https?:\/\//);
  });

  test('a cached console file is not sent again, and an unknown one is 404', async () => {
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
