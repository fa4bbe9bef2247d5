import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { callApi, makeKey, open, type World } from '../world.ts';

export const keyStories = (world: () => World): void => {
  test('the console asks for a key once, refuses a wrong one and keeps a valid one for the tab', async (t) => {
    const { page } = await open(t, world(), { key: '' });
    const dialog = page.getByRole('dialog', { name: 'Welcome to Assay' });

    await dialog.getByLabel('API key').fill('ak_nobody_knows_this');
    await dialog.getByRole('button', { name: 'Open the console' }).click();
    await dialog.getByText('This key is not known').waitFor();
    assert.equal(await dialog.getByLabel('API key').inputValue(), 'ak_nobody_knows_this');

    await dialog.getByLabel('API key').fill(world().adminKey);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.evaluate(() => Object.values(localStorage).join()), '');
  });

  test('a link with a key opens the console and leaves no key in the address bar', async (t) => {
    const { page } = await open(t, world());

    await page.getByRole('button', { name: 'Compressed' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.ok(!page.url().includes(world().adminKey));
  });

  test('a link with a key pasted into an open page works, and leaves no key in the address bar', async (t) => {
    const { key } = await makeKey(world(), { name: 'pasted', scopes: ['read'] });
    const { page } = await open(t, world(), { key: '', path: '#/decide' });
    await page.getByRole('dialog', { name: 'Welcome to Assay' }).waitFor();

    await page.evaluate((given) => {
      location.hash = `#key=${given}`;
    }, key);

    await page.getByText(/all \d+ tools/).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(page.url(), `${world().address}/#/decide`);
  });

  test('an expired key is reported with its expiry, and another one opens the page', async (t) => {
    const expires_at = new Date(Date.now() + 400).toISOString();
    const { key } = await makeKey(world(), { name: 'brief', scopes: ['read', 'invoke'], expires_at });
    const isGood = async () => (await fetch(`${world().address}/v1/providers`, { headers: { 'x-api-key': key } })).ok;
    while (await isGood()) await setTimeout(50);
    const { page } = await open(t, world(), { key, path: '#/decide' });
    const dialog = page.getByRole('dialog', { name: 'Another key is needed' });

    await dialog.getByText(/no longer takes this key: .*expired at 20/).waitFor();
    await dialog.getByLabel('API key').fill(world().adminKey);
    await dialog.getByRole('button', { name: 'Open the console' }).click();

    await page.getByText(/all \d+ tools/).waitFor();
  });

  test('a revoked key is asked for again, and what was typed is sent with the new one', async (t) => {
    const { id, key } = await makeKey(world(), { name: 'short-lived', scopes: ['read', 'invoke'] });
    const { page } = await open(t, world(), { key, path: '#/decide' });
    await page.getByText(/all \d+ tools/).waitFor();
    await page.getByLabel('Request').fill('how many words are in "one two three"?');
    // Revoked as the request leaves: any sooner, and a request of the page's own may open the dialog before the click.
    await page.route(
      '**/v1/decide',
      async (route) => {
        await callApi(world(), `/v1/keys/${id}`, undefined, 'DELETE');
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Decide', exact: true }).click();

    const dialog = page.getByRole('dialog', { name: 'Another key is needed' });
    await dialog.getByLabel('API key').fill(world().adminKey);
    await dialog.getByRole('button', { name: 'Open the console' }).click();

    await page.getByRole('region', { name: 'The choice' }).waitFor();
    assert.equal(await page.getByLabel('Request').inputValue(), 'how many words are in "one two three"?');
  });
};
