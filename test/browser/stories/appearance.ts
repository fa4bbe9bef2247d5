import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { open, type World } from '../world.ts';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Each page with something on it, so that there is something to find. */
const PAGES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  score: async (page) => {
    await page.getByRole('button', { name: 'Compressed' }).click();
    await page.getByText(/^\d\.\d\d of 5$/).waitFor();
  },
  tools: (page) => page.getByText(/^\d\d tools$/).waitFor(),
  'tools/file_write': (page) => page.getByText(/about \d+ tokens/).waitFor(),
  decide: async (page) => {
    await page.getByRole('button', { name: 'how many words are in' }).click();
    await page.getByRole('heading', { name: 'text_stats' }).waitFor();
  },
  plans: async (page) => {
    await page.getByRole('button', { name: 'Show an example plan' }).click();
    await page.getByRole('button', { name: 'Run the plan' }).click();
    await page.getByRole('button', { name: 'Approve save' }).waitFor();
  },
  activity: (page) => page.getByRole('region', { name: 'Calls' }).getByText('text_stats').first().waitFor(),
};

export const appearanceStories = (world: () => World): void => {
  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const)
    test(`in ${scheme} colours and ${width} pixels every page fits and has no serious fault of access`, async (t) => {
      const { page } = await open(t, world(), { scheme, width });
      const axe = await readFile(axeFile, 'utf8');
      for (const [path, fill] of Object.entries(PAGES)) {
        await page.goto(`${world().address}/#/${path}`);
        await fill(page);
        await page.evaluate(axe);
        assert.deepEqual(await seriousFaults(page), [], path);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${path} is too wide`);
      }
      const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      assert.equal(paper, scheme === 'dark' ? 'rgb(14, 17, 16)' : 'rgb(247, 248, 247)');
    });

  test('the keyboard alone reaches the pages and scores a sample', async (t) => {
    const { page } = await open(t, world());
    await page.getByRole('button', { name: 'Compressed' }).waitFor();
    const seen: string[] = [];
    for (let stop = 0; stop < 30 && !seen.at(-1)?.startsWith('Compressed'); stop++) {
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    assert.ok(
      ['Score', 'Tools', 'Decide', 'Plans', 'Activity'].every((name) => seen.includes(name)),
      seen.join('|'),
    );

    await page.keyboard.press('Enter');
    await page.getByText(/^\d\.\d\d of 5$/).waitFor();
  });
};

const seriousFaults = async (page: Page): Promise<readonly string[]> => {
  const violations = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as Violation[];
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(told);
};

const told = ({ id, nodes }: Violation): string =>
  `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`;
