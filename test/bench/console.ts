import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { buildConsole } from '../../functions/console/build.ts';
import { findChromium, launchChromium } from '../browser/chromium.ts';
import { serveAssay } from '../support/process.ts';
import { judge, printTable } from './report.ts';
import { median } from './support/measure.ts';

/** Pauses between showing the page and clicking the sample. */
const PAUSES_MS = [0, 1000, 4000];
const PROMISED_MS = 2000;

interface Measured {
  readonly pause: number;
  readonly shown: number;
  readonly first: number;
  readonly all: number;
}

/** From a server start until the page is shown, and from the click on the sample to its first and last score. */
export async function bench(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 3);
  const executable = findChromium();
  if (executable === undefined) throw new Error('no Chromium on this machine: install it or set CHROMIUM_PATH');
  const browser = await launchChromium(executable);
  const measured: Measured[] = [];
  try {
    for (let round = 0; round < rounds; round++)
      for (const pause of PAUSES_MS) measured.push(await measure(browser, pause));
  } finally {
    await browser.close();
  }
  const rows = PAUSES_MS.map((pause) => {
    const taken = measured.filter((each) => each.pause === pause);
    const middle = (name: 'shown' | 'first' | 'all') => Math.round(median(taken.map((each) => each[name])));
    return {
      'pressed after ms': pause,
      'page ms': middle('shown'),
      'first score ms': middle('first'),
      'all ms': middle('all'),
    };
  });
  printTable(rows);
  await printSize();
  judge(
    `the first score of the sample is there within ${PROMISED_MS} ms`,
    rows.every((row) => row['first score ms'] <= PROMISED_MS),
  );
}

const measure = async (browser: Browser, pause: number): Promise<Measured> => {
  const cwd = await mkdtemp(join(tmpdir(), 'assay-bench-console-'));
  const server = await serveAssay({ cwd });
  const page = await browser.newPage();
  try {
    await page.addInitScript(watchScores);
    const opened = performance.now();
    await page.goto(`${server.address}/#key=${server.adminKey}`);
    const sample = page.getByRole('button', { name: 'Compressed' });
    await sample.waitFor();
    const shown = performance.now() - opened;
    await wait(pause);
    await sample.click();
    await page.getByText(/^\d\.\d\d of 5$/).waitFor();
    const { pressed, first, all } = (await page.evaluate('seen')) as Seen;
    return { pause, shown, first: first - pressed, all: all - pressed };
  } finally {
    await page.close();
    await server.stop();
    await rm(cwd, { recursive: true, force: true });
  }
};

interface Seen {
  readonly pressed: number;
  readonly first: number;
  readonly all: number;
}

/** Runs in the page, so that times do not include the delay of observing it from outside. */
const watchScores = (): void => {
  const seen = { pressed: 0, first: 0, all: 0 };
  Object.assign(window, { seen });
  addEventListener('click', () => Object.assign(seen, { pressed: performance.now() }), true);
  const look = (): void => {
    if (seen.first === 0 && document.querySelector('.metric-score')) seen.first = performance.now();
    if (seen.first > 0 && seen.all === 0 && !document.querySelector('.awaited')) seen.all = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
};

const printSize = async (): Promise<void> => {
  const files = [...(await buildConsole())].filter(([path]) => /\.(js|css)$/.test(path));
  const bytes = files.reduce((sum, [, { body }]) => sum + gzipSync(body).length, 0);
  console.log(`scripts and styles of all pages ${(bytes / 1024).toFixed(1)} KB gzipped`);
};
