import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { serveAssay } from '../support/process.ts';
import { findChromium, launchChromium } from './chromium.ts';

const folder = fileURLToPath(new URL('../../metadata/pictures/', import.meta.url));
const MOST_BYTES = 200_000;

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly height: number;
  prepare(page: Page): Promise<void>;
}

/** The README's pictures, each a story of the product played for real. */
const SHOTS: readonly Shot[] = [
  {
    name: 'console-score',
    path: '#/score',
    height: 1180,
    async prepare(page) {
      // The second picture is scored in the time that pictures take; the first also starts the workers.
      for (const [sample, file] of [
        ['Blurred', 'coffee-blur.webp'],
        ['Compressed', 'chelsea-jpeg.jpg'],
      ] as const) {
        await page.getByRole('button', { name: sample }).click();
        await page.getByText(file).waitFor();
        await page.getByText(/^\d\.\d\d of 5$/).waitFor();
      }
      await page.getByRole('heading', { level: 1 }).click();
    },
  },
  {
    name: 'console-tools',
    path: '#/tools/unit_convert',
    height: 1060,
    async prepare(page) {
      for (const [name, value] of Object.entries({ value: '26.2', from: 'mile', to: 'km' }))
        await page.getByLabel(`${name} *`).fill(value);
      await page.getByRole('button', { name: 'Run unit_convert' }).click();
      await page.getByRole('region', { name: 'Outcome' }).waitFor();
      await page.getByText(/about \d+ tokens/).waitFor();
      await page.getByText('100 %', { exact: true }).waitFor();
      await page.mouse.move(0, 0);
    },
  },
  {
    name: 'console-plans',
    path: '#/plans',
    height: 1330,
    async prepare(page) {
      await page.getByRole('button', { name: 'Show an example plan' }).click();
      await page.getByRole('button', { name: 'Run the plan' }).click();
      await page.getByRole('button', { name: 'Approve save' }).waitFor();
      await page.mouse.move(0, 0);
    },
  },
];

const takeShots = async (address: string, key: string, chromium: string): Promise<void> => {
  const browser = await launchChromium(chromium);
  try {
    for (const { name, path, height, prepare } of SHOTS) {
      const page = await browser.newPage({ viewport: { width: 1200, height }, reducedMotion: 'reduce' });
      page.setDefaultTimeout(60_000);
      await page.goto(`${address}/#key=${key}`);
      await page.goto(`${address}/${path}`);
      await prepare(page);
      await page.evaluate('scrollTo(0, 0)');
      const small = await sharp(await page.screenshot())
        .png({ palette: true, quality: 85, effort: 10 })
        .toBuffer();
      if (small.length > MOST_BYTES) throw new Error(`${name} has ${small.length} bytes, at most ${MOST_BYTES}`);
      await writeFile(join(folder, `${name}.png`), small);
      console.log(`${name}.png ${Math.round(small.length / 1000)} KB`);
      await page.close();
    }
  } finally {
    await browser.close();
  }
};

const chromium = findChromium();
if (chromium === undefined) throw new Error('no Chromium on this machine: install it or set CHROMIUM_PATH');
const cwd = await mkdtemp(join(tmpdir(), 'assay-screenshots-'));
const server = await serveAssay({ cwd });
try {
  await takeShots(server.address, server.adminKey ?? '', chromium);
} finally {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
}
