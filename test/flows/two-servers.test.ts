import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunView } from '../../shared/model/run.ts';
import { type Served, serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

const preload = new URL('../support/fast-clock.ts', import.meta.url).href;

const asking = (served: Served, key: string) => async (method: string, path: string, body?: unknown) => {
  const response = await fetch(served.address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: JSON.parse((await response.text()) || '{}') };
};
type Ask = ReturnType<typeof asking>;

const until = async (ask: Ask, run: string, is: (view: RunView) => boolean): Promise<RunView> => {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await ask('GET', `/v1/runs/${run}`);
    if (is(body)) return body;
    await wait(50);
  }
  throw new Error(`run ${run} never came so far`);
};
const isWaiting = ({ nodes }: RunView): boolean => nodes.some(({ status }) => status === 'waiting_approval');

describe('two servers on one data directory', () => {
  test('X.05 a run is approved and cancelled through either server, and continues when the other is killed', {
    timeout: 60_000,
  }, async (t) => {
    const cwd = await temporaryDirectory(t);
    const admin = `ask_${'1'.repeat(26)}_${'b'.repeat(43)}`;
    // A lease is three seconds long.
    const env = {
      ASSAY_ADMIN_KEY: admin,
      NODE_OPTIONS: `--import=${preload}`,
      FAST_SINCE: `${Date.now()}`,
      FAST_SPEED: '30',
    };
    const [first, second] = [await serveAssay({ cwd, env }), await serveAssay({ cwd, env })];
    t.after(() => Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')]));
    const [one, two] = [asking(first, admin), asking(second, admin)];
    await one('POST', '/v1/tools', aTool({ permission: 'confirm' }));
    await wait(200);
    const node = { id: 'n', tool: 'weather_lookup', arguments: { city: 'Ulm' }, confirm_timeout_seconds: 3600 };
    const { body: plan } = await one('POST', '/v1/plans', { nodes: [node] });
    const start = async (): Promise<string> => {
      const { body, status } = await one('POST', `/v1/plans/${plan.plan_id}/runs`, { input: {} });
      assert.ok(status < 300, JSON.stringify(body));
      await until(one, body.run_id, isWaiting);
      return body.run_id;
    };
    const [approved, cancelled, left] = [await start(), await start(), await start()];

    const said = await two('POST', `/v1/runs/${approved}/nodes/n/confirm`, { approve: true });
    assert.equal(said.status, 200, JSON.stringify(said.body));
    assert.equal((await until(one, approved, ({ status }) => status !== 'running')).status, 'ok');
    const stopped = await two('DELETE', `/v1/runs/${cancelled}`);
    assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
    assert.equal((await until(one, cancelled, ({ status }) => status !== 'running')).status, 'cancelled');

    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    // Before it is taken over and after: what the person says is kept, and the run goes on by itself.
    assert.equal((await two('POST', `/v1/runs/${left}/nodes/n/confirm`, { approve: true })).status, 200);
    const view = await until(two, left, ({ status }) => status !== 'running');
    assert.equal(view.status, 'ok');
    assert.equal(view.nodes[0]?.attempts.length, 1);
  });

  test('X.05 a quota and a rate limit apply to both servers together', async (t) => {
    const cwd = await temporaryDirectory(t);
    const admin = `ask_${'1'.repeat(26)}_${'b'.repeat(43)}`;
    const env = { ASSAY_ADMIN_KEY: admin };
    const servers = [await serveAssay({ cwd, env }), await serveAssay({ cwd, env })];
    t.after(() => Promise.all(servers.map((served) => served.stop('SIGKILL'))));
    const [one] = servers.map((served) => asking(served, admin));
    await one?.('POST', '/v1/tools', aTool({ price_micros: 5 }));
    const newKey = async (limits: object): Promise<string> =>
      (await one?.('POST', '/v1/keys', { scopes: ['read', 'invoke'], ...limits }))?.body.key;
    const byBoth = async (key: string, send: (ask: Ask) => ReturnType<Ask>) => {
      const answers = Array.from({ length: 20 }, (_, n) => send(asking(servers[n % 2] as Served, key)));
      return (await Promise.all(answers)).filter(({ status }) => status === 200).length;
    };
    const invoke = (ask: Ask) => ask('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'Ulm' } });

    assert.equal(await byBoth(await newKey({ quota: { calls: 7 } }), invoke), 7);
    const admitted = await byBoth(await newKey({ rate: { per_second: 0.01, burst: 5 } }), (ask) =>
      ask('GET', '/v1/tools'),
    );
    assert.equal(admitted, 5);
  });
});
