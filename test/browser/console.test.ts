import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serveAssay } from '../support/process.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { activityStories } from './stories/activity.ts';
import { adminStories } from './stories/admin.ts';
import { appearanceStories } from './stories/appearance.ts';
import { decideStories } from './stories/decide.ts';
import { hardCaseStories } from './stories/hard-cases.ts';
import { keyStories } from './stories/key.ts';
import { oauthStories } from './stories/oauth.ts';
import { planStories } from './stories/plans.ts';
import { playgroundStories } from './stories/playground.ts';
import { scoreStories } from './stories/score.ts';
import { toolStories } from './stories/tools.ts';
import type { World } from './world.ts';

const chromium = findChromium();

if (chromium === undefined)
  test('the console in a browser', {
    skip:
      process.env.CI === 'true' ? false : 'browser tests were skipped: no Chromium; install it or set CHROMIUM_PATH',
  }, () => {
    throw new Error('no Chromium on this machine: install it or set CHROMIUM_PATH');
  });
else
  describe('the console in a browser', { concurrency: 2 }, () => {
    let world: World | undefined;
    const closing: (() => Promise<unknown>)[] = [];
    before(async () => {
      const cwd = await mkdtemp(join(tmpdir(), 'assay-console-'));
      closing.unshift(() => rm(cwd, { recursive: true, force: true }));
      const [server, browser] = await Promise.all([
        serveAssay({ cwd, env: { ASSAY_AUTH_SERVER: 'on', ASSAY_AUTH_REGISTRATION: 'on' } }),
        launchChromium(chromium),
      ]);
      closing.unshift(
        // First the browser: the server waits for those who still hold a connection.
        () => browser.close(),
        () => server.stop(),
      );
      world = { browser, address: server.address, adminKey: server.adminKey ?? '', idle: [] };
    });
    after(async () => {
      for (const close of closing) await close();
    });
    const inWorld = (): World => {
      if (world) return world;
      throw new Error('the world is not there yet');
    };
    keyStories(inWorld);
    scoreStories(inWorld);
    toolStories(inWorld);
    decideStories(inWorld);
    planStories(inWorld);
    activityStories(inWorld);
    adminStories(inWorld);
    playgroundStories(inWorld);
    hardCaseStories(inWorld);
    appearanceStories(inWorld);
    oauthStories(inWorld);
  });
