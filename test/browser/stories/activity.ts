import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { callApi, makeKey, open, type World } from '../world.ts';

export const activityStories = (world: () => World): void => {
  test('calls are filtered and tell their error', async (t) => {
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

  test('a panel whose answers come after it was left does not come back', async (t) => {
    const { page } = await open(t, world());
    const held: (() => void)[] = [];
    await page.route(/\/v1\/(keys|usage)/, async (route) => {
      await new Promise<void>((release) => held.push(release));
      await route.continue();
    });
    const headings = page.getByRole('heading', { level: 2 });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await page.goto(`${world().address}/#/activity`);
    await press('Keys and spend');
    await page.getByRole('heading', { name: 'Spend by tool' }).waitFor();
    await press('Calls');
    await page.getByRole('heading', { name: 'Calls' }).waitFor();

    for (const release of held) {
      const answer = page.waitForResponse(/\/v1\/(keys|usage)/);
      release();
      await (await answer).finished();
    }
    await page.unrouteAll();

    assert.deepEqual(await headings.allTextContents(), ['Calls']);
    // From the keys to another page and back: the page opens where it is asked to, not where it was.
    await press('Keys and spend');
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('region', { name: 'Calls' }).getByRole('listitem').first().waitFor();
    assert.deepEqual(await headings.allTextContents(), ['Calls']);
  });

  test('a source that may not be reached is added, says why and is removed', async (t) => {
    const { page } = await open(t, world(), { path: '#/activity/sources' });
    const sources = page.getByRole('region', { name: 'Sources' });
    await sources.getByText('No sources').waitFor();
    await sources.getByLabel('Name').fill('inside');
    await sources.getByLabel('Address of an MCP server').fill('http://127.0.0.1:1/mcp');
    await sources.getByRole('button', { name: 'Add the source' }).click();
    await sources.locator('.badge.bad').getByText('failing').waitFor();
    await sources.getByText(/127\.0\.0\.1:1 may not be reached/).waitFor();
    await sources.getByRole('button', { name: 'Remove inside' }).click();
    await sources.getByText('No sources').waitFor();
  });

  test('a call that waits for a person is approved here', async (t) => {
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

  test('recommendations give reasons, lists take tools, keys show quota and spend', async (t) => {
    await makeKey(world(), { name: 'metered', scopes: ['read', 'invoke'], quota: { calls: 500 } });
    const { page } = await open(t, world(), { path: '#/activity' });

    await page.getByRole('button', { name: 'Recommended' }).click();
    await page
      .getByRole('region', { name: 'Recommended' })
      .getByText(/calls succeeded|never called/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Lists' }).click();
    const blacklist = page.getByRole('region', { name: 'Blacklist' });
    await blacklist.getByLabel('Tool').fill('entropy');
    await blacklist.getByLabel('Reason').fill('no judge of quality');
    await blacklist.getByRole('button', { name: 'Add to the blacklist' }).click();
    await blacklist.getByText(/no judge of quality/).waitFor();
    await blacklist.getByRole('button', { name: 'Take entropy off' }).click();
    await blacklist.getByText('Empty', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Keys and spend' }).click();
    await page.getByRole('img', { name: 'Quota: 0 of 500 calls' }).waitFor();
    await page.getByRole('region', { name: 'Spend by tool' }).getByRole('row').nth(1).waitFor();
  });

  test('a key is made with its limits, its text shown once, and revoked', async (t) => {
    const { page } = await open(t, world(), { path: '#/activity/keys' });
    await page.getByText('Make a key', { exact: true }).click();
    const form = page.locator('form');

    await form.getByLabel('Name').fill('night shift');
    await form.getByLabel(/^write/).check();
    await form.getByLabel('Calls a month').fill('many');
    await form.getByRole('button', { name: 'Make the key' }).click();
    await form.getByText(/calls a month, "many", must be a number/).waitFor();
    assert.equal(await form.getByLabel('Name').inputValue(), 'night shift');

    await form.getByLabel('Calls a month').fill('40');
    await form.getByLabel('Budget a month').fill('2.50');
    await form.getByText('Tools: all').click();
    await form.getByLabel('hash', { exact: true }).check();
    await form.getByRole('button', { name: 'Make the key' }).click();
    const secret = await page.getByRole('region', { name: 'The new key' }).getByText(/^ak_/).textContent();
    const { keys } = (await callApi(world(), '/v1/keys?limit=1000')) as { keys: { name?: string }[] };
    const { id, ...made } = keys.find(({ name }) => name === 'night shift') as { id: string } & Record<string, unknown>;
    assert.deepEqual(
      [made.scopes, made.quota, made.tools],
      [['read', 'invoke', 'write'], { calls: 40, micros: 2_500_000 }, ['hash']],
    );
    assert.ok(secret?.includes(id));

    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Revoke night shift' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'night shift' });
    await row.getByText('revoked', { exact: true }).waitFor();
    assert.equal(await page.getByText(secret ?? '').count(), 0);
  });

  test('the overview sums calls over time, by tool and by key', async (t) => {
    const { page } = await open(t, world(), { path: '#/activity/overview' });
    await page.getByRole('button', { name: 'Hour' }).click();
    const row = page
      .getByRole('region', { name: 'By tool', exact: true })
      .getByRole('row')
      .filter({ hasText: 'base64' });
    await page.getByRole('region', { name: 'Over time' }).waitFor();
    assert.equal(await row.count(), 0);

    await callApi(world(), '/v1/tools/base64/invoke', { arguments: { text: 'a', direction: 'encode' } });
    await page.getByRole('button', { name: 'Reload' }).click();
    await row.waitFor();
    await page.getByRole('img', { name: /^Calls: highest \d+/ }).waitFor();
  });

  test('X.27 a dangerous tool is granted to a key and taken back', async (t) => {
    const { id } = await makeKey(world(), { name: 'granted here', scopes: ['invoke'] });
    const { page } = await open(t, world(), { path: '#/activity/keys' });
    const grants = page.getByRole('region', { name: 'Grants' });

    await grants.getByLabel('Key').selectOption(id);
    await grants.getByLabel('Dangerous tool').selectOption('file_delete');
    await grants.getByRole('button', { name: 'Grant it' }).click();
    await grants.getByText('granted here may run file_delete').waitFor();
    await grants.getByRole('button', { name: 'Take file_delete back from granted here' }).click();
    await grants.getByText('granted here may run file_delete').waitFor({ state: 'detached' });
  });

  test('X.27 a run that waits is counted beside Activity, approved there, and found among the runs', async (t) => {
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
    await entry.getByRole('button', { name: 'Approve' }).click();
    await entry.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Plans' }).click();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.locator(`a[href="#/plans/${run}"]`).click();
    await page.getByRole('heading', { name: 'Run', exact: true }).waitFor();
    await page.getByText('succeeded').first().waitFor();
  });

  test('X.27 a key without the scopes to approve, administer or register is told so', async (t) => {
    const { key } = await makeKey(world(), { name: 'reader', scopes: ['read'] });
    const { page } = await open(t, world(), { key, path: '#/activity' });

    await page.getByRole('button', { name: 'Waiting for approval' }).click();

    await page.getByText('This key may not do that').waitFor();
    await page.getByRole('button', { name: 'Keys and spend' }).click();
    await page.getByText(/neither the scope admin nor tenant_admin/).waitFor();
    await page.goto(`${world().address}/#/tools/+`);
    await page
      .getByRole('region', { name: 'Check' })
      .getByText(/this call needs write/)
      .waitFor();
  });
};
