import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a browser is on this machine, if there is one. */
export const findChromium = (): string | undefined => {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') return named;
  return PLACES.find((place) => existsSync(place));
};

/**
 * Without the sandbox, which needs rights that test machines seldom give; the pages are our own. A process for each of
 * two pages that are used at once, and no more: starting one takes longer than a story.
 */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--renderer-process-limit=2'] });
