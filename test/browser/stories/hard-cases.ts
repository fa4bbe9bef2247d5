import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callApi, makeKey, open, type World } from '../world.ts';

export const hardCaseStories = (world: () => World): void => {
  test('X.27 when the server goes away during a run and comes back, the page says so and catches up', async (t) => {
    const { page, context } = await open(t, world(), { path: '#/plans' });
    const nodes = [{ id: 'ask', tool: 'file_write', arguments: { path: 'away.txt', content: 'x' } }];
    await page.getByRole('button', { name: 'Paste a plan' }).click();
    await page.getByLabel('Plan as JSON').fill(JSON.stringify({ nodes }));
    await page.getByRole('button', { name: 'Make the plan' }).click();
    await page.getByRole('button', { name: 'Run the plan' }).click();
    await page.getByRole('button', { name: 'Approve ask' }).waitFor();
    const run = page.url().split('/').at(-1) ?? '';

    await context.setOffline(true);
    await page.getByText('No connection').waitFor();
    await callApi(world(), `/v1/runs/${run}/nodes/ask/confirm`, { approve: true });
    await context.setOffline(false);

    await page.getByText('succeeded').first().waitFor();
    assert.equal(await page.getByText('No connection').count(), 0);
  });

  test('X.27 a definition of 64 KB is typed, checked and registered in the console', async (t) => {
    const { page } = await open(t, world(), { path: '#/tools/+' });
    const field = page.getByLabel('The whole definition, as JSON');
    const definition = JSON.parse(await field.inputValue());
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`field_${index}`, { type: 'string', description: 'x'.repeat(560) }]),
    );
    const text = JSON.stringify({ ...definition, name: 'long_one', parameters: { type: 'object', properties } });
    assert.ok(text.length > 58_000 && text.length < 65_536, String(text.length));

    await field.fill(text);
    await page.getByText('It becomes the default version.').waitFor();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('heading', { name: 'long_one' }).waitFor();
    await callApi(world(), '/v1/tools/long_one', undefined, 'DELETE');
  });

  test('X.27 of 10,000 tools one page is shown, and the search finds any of them', async (t) => {
    const answers = Array.from({ length: 10_000 }, (_, index) => ({
      id: `tool_${index}@1.0.0`,
      spec: {
        name: `tool_${index}`,
        description: index === 9_876 ? 'Weighs a zeppelin' : `Does the work of number ${index}`,
      },
      enabled: true,
      versions: ['1.0.0'],
      default_version: '1.0.0',
    }));
    const { page } = await open(t, world());
    // Registering them takes longer than looking at them; what a page of the server holds is its own test.
    await page.route(/\/v1\/tools\?/, (route) => {
      const query = new URL(route.request().url()).searchParams;
      const found = answers.filter(({ spec }) => spec.description.includes(query.get('q') ?? ''));
      const limit = Number(query.get('limit') ?? 100);
      return route.fulfill({
        json: { tools: found.slice(0, limit), next_cursor: found.length > limit ? 'more' : undefined },
      });
    });
    await page.goto(`${world().address}/#/tools`);

    await page.getByText('200 tools and more: narrow the search').waitFor();
    await page.getByLabel('Search tools').fill('zeppelin');
    await page.getByRole('link', { name: 'tool_9876' }).waitFor();
    assert.equal(await page.locator('.tool-row').count(), 1);
    await page.unrouteAll();
  });

  test('X.27 a key without a useful scope is told on every page what it lacks', async (t) => {
    const { key } = await makeKey(world(), { name: 'only approves', scopes: ['approve'] });
    const { page } = await open(t, world(), { key, path: '#/tools' });
    for (const path of ['tools', 'activity/overview', 'admin/models', 'playground']) {
      await page.goto(`${world().address}/#/${path}`);
      await page.locator('main > div:not([hidden])').getByText('This key may not do that').first().waitFor();
    }
  });
};
