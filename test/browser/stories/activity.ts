import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { callApi, makeKey, open, type World } from '../world.ts';

export const activityStories = (world: () => World): void => {
  test('the calls page filters calls and shows their errors', async (t) => {
    const failing = { arguments: { value: 1, from: 'foo', to: 'km' } };
    await callApi(world(), '/v1/tools/unit_convert/invoke', failing);
    await callApi(world(), '/v1/tools/hash/invoke', { arguments: { text: 'a' } });
    const { page } = await open(t, world(), { path: '#/activity' });
    const calls = page.getByRole('region', { name: 'Calls' });

    await calls.locator('.badge.good').first().waitFor();
    await calls.getByLabel('Status').selectOption('failed');
    await calls.locator('.badge.good').first().waitFor({ state: 'detached' });
    await calls.getByText('unit_convert').first().click();
    await calls
      .locator('details[open] .notice')
      .getByText(/"foo" is not a known unit/)
      .waitFor();

    await calls.getByLabel('Tool').fill('never_called');
    await calls.getByLabel('Tool').press('Enter');
    await calls.getByText('No calls').waitFor();
  });

  test('a waiting call is approved on the Activity page', async (t) => {
    const asked = { arguments: { path: 'waiting.txt', content: 'please' } };
    await callApi(world(), '/v1/tools/file_write/invoke', asked);
    const { page } = await open(t, world(), { path: '#/activity' });

    await page.getByRole('button', { name: 'Waiting for approval' }).click();
    const entry = page.getByRole('listitem').filter({ hasText: 'waiting.txt' });
    await entry.getByRole('button', { name: 'Approve' }).click();

    await entry.waitFor({ state: 'detached' });
    const { confirmations } = (await callApi(world(), '/v1/confirmations')) as {
      confirmations: { state: string; arguments: { path: string } }[];
    };
    assert.equal(confirmations.find((each) => each.arguments.path === 'waiting.txt')?.state, 'approved');
  });

  test('X.27 the overview is live: calls over time, by tool and by key', async (t) => {
    const { page } = await open(t, world(), { path: '#/activity/overview' });
    await page.getByRole('button', { name: 'Hour' }).click();
    const row = page
      .getByRole('region', { name: 'By tool', exact: true })
      .getByRole('row')
      .filter({ hasText: 'base64' });
    await page.getByRole('region', { name: 'Over time' }).waitFor();
    assert.equal(await row.count(), 0);

    await callApi(world(), '/v1/tools/base64/invoke', { arguments: { text: 'a', direction: 'encode' } });
    // Nobody reloads: the server says that there was a call.
    await row.waitFor();
    await page.getByRole('img', { name: /^Calls: highest \d+/ }).waitFor();
    await page.getByRole('region', { name: 'By key', exact: true }).getByText('first admin').waitFor();
  });

  test('X.27 a waiting run is counted beside Activity, approved there, and listed among the runs', async (t) => {
    const nodes = [{ id: 'ask', tool: 'file_write', arguments: { path: 'counted.txt', content: 'x' } }];
    const { plan_id: plan } = (await callApi(world(), '/v1/plans', { nodes })) as { plan_id: string };
    const { run_id: run } = (await callApi(world(), `/v1/plans/${plan}/runs`, {})) as { run_id: string };
    const isWaiting = async (): Promise<boolean> =>
      JSON.stringify(await callApi(world(), '/v1/runs?status=waiting')).includes(run);
    while (!(await isWaiting())) await setTimeout(20);
    const { page } = await open(t, world());

    await page.getByRole('link', { name: /Activity \d+ wait for approval/ }).click();
    await page.getByRole('button', { name: 'Waiting for approval' }).click();
    const entry = page.getByRole('listitem').filter({ has: page.locator(`a[href="#/plans/${run}"]`) });
    await entry.getByRole('region', { name: 'Arguments of file_write' }).getByText('counted.txt').waitFor();
    await entry.getByRole('button', { name: 'Approve file_write' }).click();
    await entry.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Plans' }).click();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.locator(`a[href="#/plans/${run}"]`).click();
    await page.getByRole('heading', { name: 'Run', exact: true }).waitFor();
    await page.getByText('succeeded').first().waitFor();
  });

  test('X.27 a key without the scope to approve, administer or register is told so on the page', async (t) => {
    const { key } = await makeKey(world(), { name: 'reader', scopes: ['read'] });
    const { page } = await open(t, world(), { key, path: '#/activity' });

    await page.getByRole('button', { name: 'Waiting for approval' }).click();

    await page.getByText('This key may not do that').waitFor();
    await page.goto(`${world().address}/#/admin/keys`);
    await page.getByText(/neither the scope admin nor tenant_admin/).waitFor();
    await page.goto(`${world().address}/#/tools/+`);
    await page
      .getByRole('region', { name: 'Check' })
      .getByText(/this call needs write/)
      .waitFor();
  });

  test('X.27 a question answered elsewhere leaves the page, and the badge counts no answered one', async (t) => {
    const { key, id } = await makeKey(world(), { name: 'asking key', scopes: ['invoke'] });
    const asked = { arguments: { path: 'badge.txt', content: 'x' } };
    await callApi({ ...world(), adminKey: key }, '/v1/tools/file_write/invoke', asked);
    const { page } = await open(t, world(), { path: '#/activity/waiting' });
    const entry = page.getByRole('listitem').filter({ hasText: 'badge.txt' });
    await entry.getByText('asked by the key asking key').waitFor();
    const badge = page.getByRole('link', { name: /^Activity/ }).locator('.count');
    const before = Number.parseInt((await badge.textContent()) ?? '', 10);

    await entry.getByRole('button', { name: 'Deny file_write' }).click();
    await entry.waitFor({ state: 'detached' });
    await page.waitForFunction(
      (most) => Number.parseInt(document.querySelector('nav .count')?.textContent ?? '0', 10) < most,
      before,
      // The count is polled every 15 seconds; after an answer it must not take that long.
      { timeout: 8000 },
    );

    await page.getByRole('button', { name: 'Calls', exact: true }).click();
    const calls = page.getByRole('region', { name: 'Calls' });
    await calls.getByLabel('Key').fill(id);
    await calls.getByText('file_write').first().click();
    await calls.getByText(/by the key asking key/).waitFor();
  });

  test('X.27 calls are filtered by the name of their key', async (t) => {
    const { key } = await makeKey(world(), { name: 'weekly report', scopes: ['invoke'] });
    await callApi({ ...world(), adminKey: key }, '/v1/tools/hash/invoke', { arguments: { text: 'by a named key' } });
    await callApi(world(), '/v1/tools/base64/invoke', { arguments: { text: 'by another', action: 'encode' } });
    const { page } = await open(t, world(), { path: '#/activity' });
    const calls = page.getByRole('region', { name: 'Calls' });
    await calls.getByText('base64').first().waitFor();

    await calls.getByLabel('Key').fill('weekly report');
    await calls.getByLabel('Key').press('Enter');

    await calls.getByText('base64').first().waitFor({ state: 'detached' });
    await calls.getByText('hash', { exact: true }).first().click();
    await calls.getByText(/by the key weekly report/).waitFor();
  });

  test('recommendations show their reasons', async (t) => {
    const { page } = await open(t, world(), { path: '#/activity' });

    await page.getByRole('button', { name: 'Recommended' }).click();
    await page
      .getByRole('region', { name: 'Recommended' })
      .getByText(/calls succeeded|never called/)
      .first()
      .waitFor();
  });

  test('X.27 a call opens as a timeline of its layers, handler and table', async (t) => {
    // A quota is reserved in the table; a call without one may need nothing from it.
    const { key } = await makeKey(world(), { scopes: ['invoke'], quota: { calls: 10 } });
    const asKey = { ...world(), adminKey: key };
    await callApi(asKey, '/v1/tools/json_query/invoke', { arguments: { data: { a: 1 }, expression: 'a' } });
    const { page } = await open(t, world(), { path: '#/activity' });
    const call = page.getByRole('listitem').filter({ hasText: 'json_query' }).first();
    await call.getByText('json_query').first().click();
    await call.getByRole('button', { name: 'Where the time went' }).click();

    const timeline = call.getByRole('region', { name: 'Timeline of the call' });
    await timeline.getByText('call json_query').waitFor();
    await timeline
      .getByText(/^table /)
      .first()
      .waitFor();
    assert.ok((await timeline.getByRole('listitem').count()) > 3);
  });
};
