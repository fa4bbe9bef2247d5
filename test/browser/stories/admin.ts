import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callApi, makeKey, open, type World } from '../world.ts';

export const adminStories = (world: () => World): void => {
  test('a panel whose data arrives after the user left it does not reappear', async (t) => {
    const { page } = await open(t, world());
    const held: (() => void)[] = [];
    await page.route(/\/v1\/(keys|usage)/, async (route) => {
      await new Promise<void>((release) => held.push(release));
      await route.continue();
    });
    const headings = page.getByRole('heading', { level: 2 });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await page.goto(`${world().address}/#/admin/keys`);
    await page.getByRole('heading', { name: 'Spend by tool' }).waitFor();
    await press('Lists');
    await page.getByRole('heading', { name: 'Blacklist' }).waitFor();

    for (const release of held) {
      const answer = page.waitForResponse(/\/v1\/(keys|usage)/);
      release();
      await (await answer).finished();
    }
    await page.unrouteAll();

    assert.deepEqual(await headings.allTextContents(), ['Whitelist', 'Blacklist']);
    // From the keys to another page and back: the page opens where it is asked to, not where it was.
    await press('Keys and spend');
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('region', { name: 'Calls' }).getByRole('listitem').first().waitFor();
    assert.deepEqual(await headings.allTextContents(), ['Calls']);
  });

  test('a source that may not be reached is added, shows why, and is removed', async (t) => {
    const { page } = await open(t, world(), { path: '#/admin/sources' });
    const sources = page.getByRole('region', { name: 'Sources' });
    await sources.getByText('No sources').waitFor();
    await sources.getByLabel('Name').fill('inside');
    await sources.getByLabel('Address of an MCP server').fill('http://127.0.0.1:1/mcp');
    await sources.getByRole('button', { name: 'Add the source' }).click();
    await sources.locator('.badge.bad').getByText('failing').waitFor();
    await sources.getByText(/127\.0\.0\.1:1 may not be reached/).waitFor();
    await sources.getByRole('button', { name: 'Remove inside' }).click();
    await sources.getByText('No sources').waitFor();

    await sources.getByRole('button', { name: 'OpenAPI' }).click();
    await sources.getByLabel('Name').fill('pets');
    await sources.getByLabel('Address of an OpenAPI document').fill('http://127.0.0.1:1/openapi.json');
    await sources.getByLabel('Bearer token').fill('a secret');
    await sources.getByRole('button', { name: 'Add the source' }).click();
    await sources.locator('.badge').getByText('openapi').waitFor();
    assert.equal(await sources.getByLabel('Bearer token').inputValue(), '');
    await sources.getByRole('button', { name: 'Remove pets' }).click();
    await sources.getByText('No sources').waitFor();
  });

  test('lists accept tools, and keys show quota and spend', async (t) => {
    await makeKey(world(), { name: 'metered', scopes: ['read', 'invoke'], quota: { calls: 500 } });
    const { page } = await open(t, world(), { path: '#/admin/lists' });

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

  test('a key is created with its limits, its secret shown once, and revoked', async (t) => {
    const { page } = await open(t, world(), { path: '#/admin/keys' });
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
    await form.getByLabel('Requests a second').fill('5');
    await form.getByText('Tools: all').click();
    await form.getByRole('searchbox', { name: 'Tools' }).fill('digest of a text');
    await form.getByLabel('hash', { exact: true }).check();
    await form.getByRole('button', { name: 'Make the key' }).click();
    const secret = await page.getByRole('region', { name: 'The new key' }).getByText(/^ak_/).textContent();
    const { keys } = (await callApi(world(), '/v1/keys?limit=1000')) as { keys: { name?: string }[] };
    const { id, ...made } = keys.find(({ name }) => name === 'night shift') as { id: string } & Record<string, unknown>;
    assert.deepEqual(
      [made.scopes, made.quota, made.rate, made.tools],
      [['read', 'invoke', 'write'], { calls: 40, micros: 2_500_000 }, { per_second: 5, burst: 20 }, ['hash']],
    );
    assert.ok(secret?.includes(id));

    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Revoke night shift' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'night shift' });
    await row.getByText('revoked', { exact: true }).waitFor();
    assert.equal(await page.getByText(secret ?? '').count(), 0);
  });

  test('X.27 a dangerous tool is granted to a key, and the grant revoked', async (t) => {
    const { id } = await makeKey(world(), { name: 'granted here', scopes: ['invoke'] });
    const { page } = await open(t, world(), { path: '#/admin/keys' });
    const grants = page.getByRole('region', { name: 'Grants' });

    await grants.getByLabel('Key').selectOption(id);
    await grants.getByLabel('Dangerous tool').selectOption('file_delete');
    await grants.getByRole('button', { name: 'Grant it' }).click();
    await grants.getByText('granted here may run file_delete').waitFor();
    await grants.getByRole('button', { name: 'Take file_delete back from granted here' }).click();
    await grants.getByText('granted here may run file_delete').waitFor({ state: 'detached' });
  });

  test('X.27 the operator creates a tenant and acts for it; markup in its name stays text', async (t) => {
    const { page } = await open(t, world(), { path: '#/admin/tenants' });
    const tenants = page.getByRole('region', { name: 'Tenants' });
    await tenants.getByLabel('New tenant').fill('<img src=x onerror=alert(1)>');
    await tenants.getByRole('button', { name: 'Make the tenant' }).click();
    await tenants.getByText(/tenant must be 1 to 63 lower-case letters/).waitFor();
    assert.equal(await page.locator('img[src=x]').count(), 0);

    await tenants.getByLabel('New tenant').fill('lab');
    await tenants.getByRole('button', { name: 'Make the tenant' }).click();
    await page.getByRole('region', { name: 'The new key' }).getByText(/^ak_/).waitFor();
    await tenants.getByRole('button', { name: 'Act for this tenant: lab' }).click();
    await page.getByRole('button', { name: 'Acting for lab: stop' }).waitFor();
    await page.goto(`${world().address}/#/admin/keys`);
    const keys = page.getByRole('region', { name: 'Keys', exact: true }).getByRole('listitem');
    await keys.filter({ hasText: 'lab admin' }).waitFor();
    assert.equal(await keys.count(), 1);

    await page.getByRole('button', { name: 'Acting for lab: stop' }).click();
    await keys.filter({ hasText: 'first admin' }).waitFor();
    assert.equal(await keys.filter({ hasText: 'lab admin' }).count(), 0);
  });

  test('X.27 a tenant admin is told that only the operator manages tenants', async (t) => {
    const { key } = await makeKey(world(), { name: 'own tenant', scopes: ['tenant_admin'] });
    const { page } = await open(t, world(), { key, path: '#/admin/tenants' });

    await page.getByText(/this call needs admin/).waitFor();
  });

  test('X.27 a learned metric shows the recipe that exports it and the command that adds it', async (t) => {
    const { page } = await open(t, world(), { path: '#/admin/models' });

    await page.getByRole('searchbox', { name: 'Find a model' }).fill('topiq');
    await page.getByText('afine_all', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the recipe of topiq_nr', exact: true }).click();
    await page
      .getByRole('region', { name: 'Recipe of topiq_nr' })
      .getByText(/import pyiqa/)
      .waitFor();
    await page.getByText('npx assay models add topiq_nr topiq_nr.onnx').waitFor();
  });
};
