import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { memoryOAuthClient } from '../../support/auth-server.ts';
import type { World } from '../world.ts';

/** A client of the SDK's own, whose person has a browser and a key. */
export const oauthStories = (inWorld: () => World): void => {
  test('X.22 an MCP client that knows only OAuth signs in on the page, lists and calls tools', async () => {
    const { browser, address, adminKey } = inWorld();
    const arrived = Promise.withResolvers<URLSearchParams>();
    const callback = createServer((request, response) => {
      arrived.resolve(new URL(request.url ?? '', 'http://callback').searchParams);
      response.end('You can close this page.');
    });
    callback.listen(0, '127.0.0.1');
    await new Promise((resolve) => callback.once('listening', resolve));
    const redirect = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
    const { provider, kept } = memoryOAuthClient(undefined, redirect);
    const open = () => new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider: provider });
    const page = await browser.newPage();
    try {
      const first = open();
      await assert.rejects(new Client({ name: 'browser story', version: '1' }).connect(first));

      await page.goto(kept.url?.href ?? '');
      await page.getByLabel('write').uncheck();
      await page.getByLabel('Your key').fill(adminKey);
      await page.getByRole('button', { name: 'Allow' }).click();
      const params = await arrived.promise;
      assert.equal(params.get('iss'), address);
      await first.finishAuth(params);

      const client = new Client({ name: 'browser story', version: '1' });
      await client.connect(open());
      assert.ok((await client.listTools()).tools.length > 0);
      const result = await client.callTool({ name: 'text_stats', arguments: { text: 'six times seven' } });
      assert.match(JSON.stringify(result), /words/);
      await client.close();
    } finally {
      await page.close();
      callback.close();
      callback.closeAllConnections();
    }
  });
};
