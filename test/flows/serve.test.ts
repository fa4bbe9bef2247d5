import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

const KEY = 'a-fixed-admin-key-1';
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };

describe('npm start', () => {
  test('npm start prints address, data directory and, the first time only, an admin key; its console link works; SIGTERM stops it cleanly', async (t) => {
    const cwd = await temporaryDirectory(t);

    const first = await serveAssay({ cwd });
    t.after(() => first.child.kill('SIGKILL'));
    assert.match(first.greeting, /Assay is listening on http:\/\/127\.0\.0\.1:\d+\n/);
    assert.match(first.greeting, /\n {2}data +.*\.assay .*\n/);
    const answer = await fetch(`${first.address}/v1/tools`, { headers: { authorization: `Bearer ${first.adminKey}` } });
    assert.equal(answer.status, 200);
    assert.equal(await first.stop(), 0);
    const second = await serveAssay({ cwd });
    t.after(() => second.child.kill('SIGKILL'));
    assert.ok(!second.greeting.includes('ak_'));
    const link = /#key=(lk_\S+)/.exec(second.greeting)?.[1];
    const opened = await fetch(`${second.address}/v1/tools`, { headers: { authorization: `Bearer ${link}` } });
    assert.equal(opened.status, 200);
    assert.equal(await second.stop(), 0);
  });

  test('R4.09a after kill -9 during registrations every acknowledged one is stored and none is half-written', async (t) => {
    const cwd = await temporaryDirectory(t);
    const served = await serveAssay({ cwd, env: { ASSAY_ADMIN_KEY: KEY } });
    t.after(() => served.child.kill('SIGKILL'));
    const acknowledged: string[] = [];
    const send = async (lane: number): Promise<void> => {
      for (let count = 0; ; count++) {
        const name = `tool_${lane}_${count}`;
        const response = await fetch(`${served.address}/v1/tools`, {
          method: 'POST',
          headers,
          body: JSON.stringify(aTool({ name })),
        });
        if (response.status === 201) acknowledged.push(name);
      }
    };
    const lanes = [0, 1, 2, 3].map((lane) => send(lane).catch(() => {}));
    while (acknowledged.length < 60) await new Promise((resolve) => setTimeout(resolve, 5));
    await served.stop('SIGKILL');
    await Promise.all(lanes);

    const again = await serveAssay({ cwd, env: { ASSAY_ADMIN_KEY: KEY } });
    t.after(() => again.stop());
    const { tools } = (await (await fetch(`${again.address}/v1/snapshot`, { headers })).json()) as {
      tools: { spec: { name: string; parameters: unknown }; history: unknown[] }[];
    };
    const stored = new Set(tools.map(({ spec }) => spec.name));
    assert.deepEqual(
      acknowledged.filter((name) => !stored.has(name)),
      [],
    );
    for (const { spec, history } of tools) assert.deepEqual([spec.parameters, history.length], [aTool().parameters, 1]);
  });
});
