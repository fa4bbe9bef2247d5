import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';

/** What all browser stories share: one browser with its pages, and one server. */
export interface World {
  readonly browser: Browser;
  readonly address: string;
  readonly adminKey: string;
  /** Pages that no story uses at the moment: opening a new one takes longer than most stories. */
  readonly idle: Opened[];
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

/** Opens the console in a page that remembers nothing. At the end of the test nothing may have gone wrong or out. */
export const open = async (t: TestContext, world: World, options: Options = {}): Promise<Opened> => {
  const { path = '#/score', key = world.adminKey, scheme = 'light', width = 1280 } = options;
  const opened = world.idle.pop() ?? (await openPage(world));
  const { page } = opened;
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  const wrong = watch(page, world.address);
  t.after(async () => {
    // A page that a failed story left in some state is not used again.
    if (hasPassed(t)) await giveBack(world, opened);
    else await opened.context.close();
    assert.deepEqual(wrong.stop(), []);
  });
  await load(page, world, key === '' ? '' : `#key=${key}`);
  if (path !== '#/score') await page.goto(`${world.address}/${path}`);
  return opened;
};

// Node 24 has it, its types do not yet.
const hasPassed = (t: TestContext): boolean => (t as { readonly passed?: boolean }).passed === true;

const openPage = async ({ browser }: World): Promise<Opened> => {
  const context = await browser.newContext({ acceptDownloads: true });
  context.setDefaultTimeout(30_000);
  return { context, page: await context.newPage() };
};

const giveBack = async ({ idle }: World, opened: Opened): Promise<void> => {
  await opened.context.setOffline(false);
  idle.push(opened);
};

/** Loads the console without anything kept. A page that has it already forgets and loads it again in its process. */
const load = async (page: Page, { address }: World, hash: string): Promise<void> => {
  if (!page.url().startsWith(address)) {
    await page.goto(`${address}/${hash}`);
    return;
  }
  await page.evaluate((place) => {
    sessionStorage.clear();
    localStorage.clear();
    history.replaceState(null, '', `/${place}`);
  }, hash);
  await page.reload();
};

const watch = (page: Page, origin: string): { stop(): readonly string[] } => {
  const wrong: string[] = [];
  const onError = (error: Error): void => void wrong.push(`thrown: ${error.message}`);
  const onMessage = (message: ConsoleMessage): void => {
    // The browser reports every refusal of the server by itself; the stories look at how the page tells it.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) wrong.push(`console: ${message.text()}`);
  };
  const onRequest = (request: Request): void => {
    if (!request.url().startsWith(origin) && !/^(blob|data|about):/.test(request.url()))
      wrong.push(`left: ${request.url()}`);
  };
  page.on('pageerror', onError).on('console', onMessage).on('request', onRequest);
  return {
    stop() {
      page.off('pageerror', onError).off('console', onMessage).off('request', onRequest);
      return wrong;
    },
  };
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
