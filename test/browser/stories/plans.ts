import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { open, type World } from '../world.ts';

const pastePlan = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('button', { name: 'Paste a plan' }).click();
  await page.getByLabel('Plan as JSON').fill(text);
  await page.getByRole('button', { name: 'Make the plan' }).click();
};

/** Keeps back a look at a run, the second one that sees it ask, until it is released. */
const holdLook = async (page: Page) => {
  const url = /\/v1\/runs\/\w+$/;
  const [held, released] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  let asking = 0;
  await page.route(url, async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes('waiting_approval') && ++asking === 2) {
      held.resolve(route.request().url());
      await released.promise;
    }
    await route.fulfill({ response });
  });
  const release = async (): Promise<void> => {
    const arrived = page.waitForResponse(await held.promise);
    released.resolve();
    await arrived;
  };
  return { url, held: held.promise, release };
};

/** Counts the requests of a kind that begin while another is under way. */
const countOverlaps = (page: Page, url: RegExp): (() => number) => {
  const underWay = new Set<Request>();
  let overlaps = 0;
  const begin = (request: Request): void => {
    if (!url.test(request.url())) return;
    if (underWay.size > 0) overlaps++;
    underWay.add(request);
  };
  const end = (request: Request): void => void underWay.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  return () => {
    page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
    return overlaps;
  };
};

export const planStories = (world: () => World): void => {
  test('an example plan is drawn, runs, asks for approval and succeeds', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });

    await page.getByRole('button', { name: 'Show an example plan' }).click();
    await page.getByRole('img', { name: /Picture of the plan: rows; total after rows/ }).waitFor();
    await page.getByText('Expected time').waitFor();
    await page.getByRole('button', { name: 'Run the plan' }).click();
    const question = page.getByRole('listitem').filter({ hasText: 'save' }).filter({ hasText: 'asks before it runs' });
    await question.getByRole('region', { name: 'Arguments of save' }).getByText('Bern, Oslo, Rome').waitFor();
    // The list of runs follows without a reload.
    const link = page.locator(`a[href="${new URL(page.url()).hash}"]`);
    const row = page.getByRole('region', { name: 'Runs', exact: true }).getByRole('listitem').filter({ has: link });
    await row.getByText('save asks for approval').waitFor();
    await page.getByRole('button', { name: 'Approve save' }).click();

    const run = page.getByRole('region', { name: 'Run', exact: true });
    await run.getByText('succeeded', { exact: true }).waitFor({ timeout: 30_000 });
    await run.getByRole('region', { name: 'Result of the run' }).getByText('Bern, Oslo, Rome').waitFor();
    assert.equal(await page.locator('.dag-node.ok').count(), 8);
  });

  test('a run is still watched after a reload, and its URL opens it elsewhere', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });
    const plan = { nodes: [{ id: 'ask', tool: 'text_stats', arguments: { text: 'a b' }, confirm: true }] };
    await pastePlan(page, JSON.stringify(plan));
    await page.getByRole('button', { name: 'Run the plan' }).click();
    await page.getByRole('button', { name: 'Approve ask' }).waitFor();

    await page.reload();
    await page.getByRole('button', { name: 'Approve ask' }).waitFor();
    assert.equal(await page.getByLabel('Plan as JSON').inputValue(), JSON.stringify(plan));
    const address = page.url();
    assert.match(address, /#\/plans\/\w+$/);

    await page.evaluate(() => {
      for (const key of Object.keys(sessionStorage)) if (key !== 'assay-key') sessionStorage.removeItem(key);
    });
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('button', { name: 'Approve ask' }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('succeeded', { exact: true }).waitFor();
  });

  test('one run is denied at its question and another cancelled, even when a response about the first arrives late', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });
    const look = await holdLook(page);
    t.after(() => page.unroute(look.url));
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await pastePlan(
      page,
      JSON.stringify({ nodes: [{ id: 'ask', tool: 'text_stats', arguments: { text: 'a b' }, confirm: true }] }),
    );

    await page.getByRole('button', { name: 'Run the plan' }).click();
    await look.held;
    await page.getByRole('button', { name: 'Deny ask' }).click();
    await run.getByText('denied', { exact: true }).waitFor();
    await run.getByText('failed', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Approve ask' }).waitFor();
    await look.release();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await run.getByText('cancelled', { exact: true }).waitFor();
  });

  test('X.27 while a run updates, its buttons keep their place and focus, so no click is lost', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });
    const nodes = [{ id: 'ask', tool: 'text_stats', arguments: { text: 'a b' }, confirm: true }];
    await pastePlan(page, JSON.stringify({ nodes }));
    await page.getByRole('button', { name: 'Run the plan' }).click();
    const approve = page.getByRole('button', { name: 'Approve ask' });
    await approve.hover();
    const overlaps = countOverlaps(page, /\/v1\/runs\/\w+$/);
    await page.evaluate(() => {
      const watched = Object.assign(window, { taken: 0 });
      const count = (records: readonly MutationRecord[]): void => {
        for (const { removedNodes } of records) watched.taken += removedNodes.length;
      };
      new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
    });

    await page.mouse.down();
    for (let look = 0; look < 3; look++) await page.waitForResponse(/\/v1\/runs\/\w+$/);
    assert.equal(await page.evaluate('taken'), 0);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Approve');
    await page.mouse.up();
    assert.equal(overlaps(), 0, 'a look began before the one before it had ended');

    await page.getByRole('region', { name: 'Run', exact: true }).getByText('succeeded', { exact: true }).waitFor();
  });

  test('a task becomes a plan, or a question about what is missing', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });

    await page.getByLabel('Task').fill('count the words of "hello big world"');
    await page.getByRole('button', { name: 'Make the plan' }).click();
    await page.getByRole('heading', { name: 'Read as one step' }).waitFor();
    await page.getByRole('button', { name: 'Run the plan' }).waitFor();

    await page.getByLabel('Task').fill('resize the picture, then convert it to webp');
    await page.getByRole('button', { name: 'Make the plan' }).click();
    await page.getByText(/image_resize: What is the image/).waitFor();
    await page.getByRole('button', { name: 'Fill it in as a plan' }).click();
    assert.match(await page.getByLabel('Plan as JSON').inputValue(), /image_convert/);
  });

  test('a plan that is invalid JSON or has a cycle is refused with the position, and the text stays', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });

    await pastePlan(page, '{"nodes": [');
    await page
      .getByRole('alert')
      .getByText(/The plan is not JSON/)
      .waitFor();
    const node = { tool: 'text_stats', arguments: { text: 'x' } };
    const text = JSON.stringify({
      nodes: [
        { ...node, id: 'a', after: ['b'] },
        { ...node, id: 'b', after: ['a'] },
      ],
    });
    await pastePlan(page, text);
    await page.getByRole('alert').getByText(/cycle/i).waitFor();
    assert.equal(await page.getByLabel('Plan as JSON').inputValue(), text);
  });

  test('X.27 a failed run is retried from the failed node, with the results before it', async (t) => {
    const { page } = await open(t, world(), { path: '#/plans' });
    const nodes = [
      { id: 'sum', tool: 'hash', arguments: { text: 'a' } },
      { id: 'ask', tool: 'file_write', arguments: { path: 'retried.txt', content: { $from: 'sum.digest' } } },
    ];
    await page.getByRole('button', { name: 'Paste a plan' }).click();
    await page.getByLabel('Plan as JSON').fill(JSON.stringify({ nodes }));
    await page.getByRole('button', { name: 'Make the plan' }).click();
    await page.getByRole('button', { name: 'Run the plan' }).click();
    await page.getByRole('button', { name: 'Deny ask' }).click();
    await page.getByRole('button', { name: 'Retry from ask' }).click();

    await page.getByRole('button', { name: 'Approve ask' }).click();
    await page.getByText('succeeded').first().waitFor();
    const runs = page.locator('.run-nodes').getByRole('listitem');
    assert.equal(await runs.count(), 1, 'the node before it is not run again');
  });
};
