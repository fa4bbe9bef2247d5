import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callApi, open, type World } from '../world.ts';

export const playgroundStories = (world: () => World): void => {
  test('X.27 the playground shows a provider’s request, parses the model’s answer, runs its call and shows the result message', async (t) => {
    const { page } = await open(t, world(), { path: '#/playground' });
    const request = page.getByRole('region', { name: /^Request to / });
    await request.getByText(/"model": "gpt-5"/).waitFor();
    await page.getByText(/tools: about \d+ tokens/).waitFor();

    await page.getByRole('button', { name: 'anthropic' }).click();
    await request.getByText(/"input_schema"/).waitFor();
    await page.getByRole('button', { name: 'curl' }).click();
    await request.getByText(/x-api-key: \$ANTHROPIC_API_KEY/).waitFor();
    await page.getByRole('button', { name: 'Python' }).click();
    await request.getByText(/urllib\.request/).waitFor();

    await page.getByRole('button', { name: 'Fill in an example' }).click();
    await page.getByRole('button', { name: 'Run it: text_stats' }).click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded').waitFor();
    await page
      .getByRole('region', { name: 'Messages to send back' })
      .getByText(/"tool_use_id": "call_1"/)
      .waitFor();
  });

  test('X.27 every provider’s example parses as one call; a truncated stream must not run', async (t) => {
    const { providers } = (await callApi(world(), '/v1/providers')) as { providers: string[] };
    const { page } = await open(t, world(), { path: '#/playground' });
    for (const provider of providers) {
      await page.getByRole('button', { name: provider, exact: true }).click();
      await page.getByRole('button', { name: 'Fill in an example' }).click();
      await page.getByRole('button', { name: 'Run it: text_stats' }).waitFor();
    }

    await page.getByRole('button', { name: 'openai', exact: true }).click();
    const part = {
      choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'hash', arguments: '{"te' } }] } }],
    };
    await page.getByLabel(/The response as JSON/).fill(`data: ${JSON.stringify(part)}\n\n`);
    await page.getByRole('button', { name: 'Read the calls' }).click();
    await page.getByText('must not run').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Run it: hash' }).isDisabled());
    await page.getByLabel(/The response as JSON/).fill('hello');
    await page.getByRole('button', { name: 'Read the calls' }).click();
    await page.getByText(/neither JSON nor a stream of events/).waitFor();
  });

  test('X.16 Connect shows a client’s configuration with this server’s URL and a new key, and the key’s last call', async (t) => {
    const { page } = await open(t, world(), { path: '#/connect' });
    await page.getByRole('button', { name: 'Cursor' }).click();
    await page.getByRole('button', { name: 'Make a key for Cursor' }).click();
    const lines = page.getByRole('region', { name: '.cursor/mcp.json' });
    await lines.getByText(/Bearer ak_/).waitFor();
    const { mcpServers } = JSON.parse((await lines.textContent()) ?? '');
    assert.equal(mcpServers.assay.url, `${world().address}/mcp`);
    await page.getByRole('button', { name: 'Show the last call received' }).click();
    await page.getByText(/^No call yet/).waitFor();

    await fetch(`${world().address}/v1/tools/hash/invoke`, {
      method: 'POST',
      headers: { ...mcpServers.assay.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { text: 'a' } }),
    });
    await page.getByRole('button', { name: 'Show the last call received' }).click();
    await page.getByText(/by the key/).waitFor();
  });
};
