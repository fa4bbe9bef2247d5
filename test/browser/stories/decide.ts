import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, type World } from '../world.ts';

export const decideStories = (world: () => World): void => {
  test('a decision shows five steps with evidence, and its call runs', async (t) => {
    const { page } = await open(t, world(), { path: '#/decide' });

    await page.getByRole('button', { name: 'how many words are in' }).click();
    await page.getByRole('heading', { name: 'text_stats' }).waitFor();
    assert.deepEqual(await page.getByRole('region', { name: 'The steps' }).getByRole('heading').allTextContents(), [
      'Scenario',
      'Intent',
      'Match',
      'Evaluate',
      'Arguments',
    ]);
    const others = await page.locator('.other .sure').allTextContents();
    const shares = others.map((text) => Number.parseInt(text, 10));
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => b - a),
      'the likeliest first',
    );
    assert.match(await page.getByLabel('text *').inputValue(), /quick brown fox/);
    await page.getByRole('button', { name: 'Run text_stats' }).click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded').waitFor();
  });

  test('the candidates of a decision can be limited, and a request without a match says so', async (t) => {
    const { page } = await open(t, world(), { path: '#/decide' });
    await page.getByLabel('Request').fill('zzz qqq');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    await page.getByRole('heading', { name: 'No tool fits well enough' }).waitFor();

    await page.getByText('Candidates: ').click();
    await page.getByLabel('hash', { exact: true }).check();

    await page.getByText('Candidates: hash').waitFor();
    assert.equal(await page.getByLabel('Request').inputValue(), 'zzz qqq');
  });

  test('a reload keeps the request, its decision and the corrected arguments', async (t) => {
    const { page } = await open(t, world(), { path: '#/decide' });
    await page.getByRole('button', { name: 'how many words are in' }).click();
    await page.getByLabel('text *').fill('corrected by hand');

    await page.reload();

    await page.getByRole('heading', { name: 'text_stats' }).waitFor();
    assert.match(await page.getByLabel('Request').inputValue(), /how many words/);
    assert.equal(await page.getByLabel('text *').inputValue(), 'corrected by hand');
  });

  test('without a connection the request is kept and can be retried', async (t) => {
    const { page, context } = await open(t, world(), { path: '#/decide' });
    await page.getByText(/all \d\d tools/).waitFor();
    await context.setOffline(true);
    await page.getByLabel('Request').fill('how many words are in "a b c"?');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    await page.getByText('No connection', { exact: true }).waitFor();

    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByRole('heading', { name: 'text_stats' }).waitFor();
  });

  test('X.27 a missing argument is asked for beside its field, answered there and run', async (t) => {
    const { page } = await open(t, world(), { path: '#/decide' });
    await page.getByLabel('Request').fill('convert 5 miles to another unit of length');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    const asked = page.locator('.asked').filter({ has: page.getByLabel('to *') });
    await asked.locator('.asked-text').waitFor();
    await page.getByText(/questions? before it runs/).waitFor();

    await page.getByLabel('to *').fill('km');
    await page.getByRole('button', { name: 'Run unit_convert' }).click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded').waitFor();
  });
};
