import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isWhole } from '../../support/sampling.ts';
import { open, type World } from '../world.ts';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Each page with something on it, so that there is something to find. */
const PAGES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  score: async (page) => {
    await page.getByRole('button', { name: 'Compressed' }).click();
    await page.getByText(/^\d\.\d\d of 5$/).waitFor();
  },
  tools: (page) => page.getByText(/^\d\d tools$/).waitFor(),
  'tools/+': (page) => page.getByText('It becomes the default version.').waitFor(),
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
  activity: (page) => page.getByRole('region', { name: 'Calls' }).getByRole('listitem').first().waitFor(),
  'activity/waiting': (page) =>
    page.getByRole('region', { name: 'Waiting for approval' }).getByRole('listitem').first().waitFor(),
  'activity/recommended': (page) =>
    page
      .getByText(/never called yet|calls succeeded/)
      .first()
      .waitFor(),
  'activity/overview': (page) => page.getByRole('region', { name: 'By tool', exact: true }).waitFor(),
  'admin/lists': (page) => page.getByRole('button', { name: /^Add/ }).first().waitFor(),
  'admin/sources': (page) => page.getByLabel('Bearer token').waitFor(),
  'admin/models': (page) => page.getByRole('button', { name: 'Show the recipe of topiq_nr', exact: true }).waitFor(),
  'admin/tenants': (page) => page.getByRole('button', { name: 'Act for this tenant: default' }).waitFor(),
  playground: async (page) => {
    await page.getByRole('button', { name: 'Fill in an example' }).click();
    await page.getByRole('button', { name: 'Run it: text_stats' }).click();
    await page.getByRole('region', { name: 'Messages to send back' }).waitFor();
  },
  connect: async (page) => {
    await page.getByRole('button', { name: 'Show the last call received' }).click();
    await page.getByText(/by the key/).waitFor();
  },
  'admin/keys': async (page) => {
    await page.getByText('Make a key', { exact: true }).click();
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('region', { name: 'The new key' }).waitFor();
  },
};

const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** Every rule at each width; where only the colours have changed since, those that look at colours. */
const COMBINATIONS = [
  ['light', 1440, {}],
  ['dark', 1440, COLOURS],
  ['dark', 390, {}],
  ['light', 390, COLOURS],
] as const;
type Combination = readonly [scheme: 'light' | 'dark', width: number, rules: object];

/** In a sample a page is looked at in one way with every rule, and the next page in the next way. */
const combinationsAt = (index: number): readonly Combination[] => {
  if (isWhole) return COMBINATIONS;
  const [scheme, width] = COMBINATIONS[index % COMBINATIONS.length] ?? COMBINATIONS[0];
  return [[scheme, width, {}]];
};

const PAPER = { light: 'rgb(247, 248, 247)', dark: 'rgb(14, 17, 16)' };

export const appearanceStories = (world: () => World): void => {
  const paths = Object.keys(PAGES);
  // Two halves, so that two pages look at them at once; a page is loaded once for all of its half.
  for (const half of [paths.slice(0, 8), paths.slice(8)])
    test(`${half.join(', ')}: no accessibility violation, light and dark, wide and narrow`, async (t) => {
      const { page } = await open(t, world());
      await page.evaluate(await readFile(axeFile, 'utf8'));
      for (const path of half) {
        await page.setViewportSize({ width: 1440, height: 800 });
        await page.goto(`${world().address}/#/${path}`);
        await PAGES[path]?.(page);
        for (const combination of combinationsAt(paths.indexOf(path))) await lookAt(page, path, combination);
      }
    });

  test('Ctrl-K opens pages, actions and tools, and / searches tools while typing', async (t) => {
    const { page } = await open(t, world());
    await page.getByRole('button', { name: 'Compressed' }).waitFor();

    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('combobox').fill('make a picture smaller');
    await palette.getByRole('option', { name: /image_resize/ }).waitFor();
    await page.evaluate(await readFile(axeFile, 'utf8'));
    assert.deepEqual(await accessFaults(page, {}), []);
    await palette.getByRole('combobox').fill('grants');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Grants' }).waitFor();
    assert.ok(page.url().endsWith('#/admin/keys'));

    await page.keyboard.press('Escape');
    await page.locator('h1:visible').click();
    await page.keyboard.press('/');
    await page.locator('input[aria-label="Search tools"]:focus').waitFor();
    await page.keyboard.type('units');
    await page.getByRole('link', { name: 'unit_convert' }).waitFor();
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
      ['Score', 'Tools', 'Decide', 'Plans', 'Playground', 'Activity', 'Admin', 'Connect'].every((name) =>
        seen.some((each) => each.startsWith(name)),
      ),
      seen.join('|'),
    );

    await page.keyboard.press('Enter');
    await page.getByText(/^\d\.\d\d of 5$/).waitFor();
  });
};

const lookAt = async (page: Page, path: string, [scheme, width, rules]: Combination): Promise<void> => {
  const where = `${path}, ${scheme}, ${width} pixels`;
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  assert.deepEqual(await accessFaults(page, rules), [], where);
  const look = await page.evaluate(() => ({
    paper: getComputedStyle(document.documentElement).backgroundColor,
    wide: document.documentElement.scrollWidth,
  }));
  assert.equal(look.paper, PAPER[scheme], where);
  assert.ok(look.wide <= width, `${where}: ${look.wide} wide`);
};

const accessFaults = async (page: Page, rules: object): Promise<readonly string[]> => {
  // Style sheets are not fetched again: no page of ours locks the orientation.
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...rules });
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Violation[];
  return violations.map(told);
};

const told = ({ id, nodes }: Violation): string =>
  `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`;
