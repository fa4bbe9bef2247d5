import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** What all browser stories share: one browser and one server. */
export interface World {
  readonly browser: Browser;
  readonly address: string;
  readonly adminKey: string;
}

interface Options {
  readonly path?: string;
  readonly key?: string | undefined;
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** Opens the console in a fresh profile. At the end of the test nothing may have gone wrong or out. */
export const open = async (t: TestContext, world: World, options: Options = {}): Promise<Opened> => {
  const { path = '#/score', key = world.adminKey, scheme = 'light', width = 1280 } = options;
  const context = await world.browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const wrong = watch(page, world.address);
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  await page.goto(`${world.address}/${key === '' ? '' : `#key=${key}`}`);
  if (path !== '#/score') await page.goto(`${world.address}/${path}`);
  return { page, context };
};

const watch = (page: Page, origin: string): readonly string[] => {
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    // The browser reports every refusal of the server by itself; the stories look at how the page tells it.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) wrong.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(blob|data):/.test(request.url())) wrong.push(`left: ${request.url()}`);
  });
  return wrong;
};

/** Calls the API beside the page, as the admin. */
export const callApi = async (world: World, path: string, body?: unknown, method = 'POST'): Promise<unknown> => {
  const response = await fetch(`${world.address}${path}`, {
    method: body === undefined && method === 'POST' ? 'GET' : method,
    headers: { authorization: `Bearer ${world.adminKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.status === 204 ? undefined : response.json();
};

export const makeKey = async (world: World, about: object): Promise<{ readonly id: string; readonly key: string }> =>
  (await callApi(world, '/v1/keys', about)) as { id: string; key: string };
