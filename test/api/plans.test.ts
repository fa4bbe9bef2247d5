import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { Prices } from '../../shared/execute/billing/prices.ts';
import { innerCallsKey } from '../../shared/kernel/item-keys.ts';
import type { Handler, Key } from '../../shared/kernel/ports.ts';
import type { Plan, PlanTree } from '../../shared/model/plan.ts';
import type { Registration } from '../../shared/model/registration.ts';
import type { RunView } from '../../shared/model/run.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
}
type Made = Plan & { readonly tree: PlanTree; readonly asl: { readonly QueryLanguage: string } };

const shout: Handler = { permission: 'safe', run: async ({ text }) => ({ text: `${String(text)}!` }) };
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tool = (name: string, more: object = {}) =>
  aTool({
    name,
    parameters: text,
    output_schema: text,
    implementation: { type: 'builtin', handler: 'shout' },
    ...more,
  });

const workshop = async (prices?: Prices): Promise<TestAssay> => {
  const blobs = memoryBlobs();
  const made = await testAssay({
    blobs,
    handlers: { builtin: new Map([['shout', shout]]), internal: new Map() },
    startRuns: (context) => localRuns(context, blobs),
    ...(prices === undefined ? {} : { prices }),
  });
  for (const each of [
    tool('shout'),
    tool('ask', { permission: 'confirm' }),
    tool('erase', { permission: 'dangerous' }),
  ])
    await made.json('POST', '/v1/tools', each);
  return made;
};

const chain = {
  nodes: [
    { id: 'a', tool: 'shout', arguments: { text: { $from: '$input.text' } } },
    { id: 'b', tool: 'shout', arguments: { text: { $from: 'a.text' } } },
    { id: 'c', tool: 'shout', arguments: { text: { $from: 'a.text' } } },
  ],
};

const ended = async ({ json }: TestAssay, started: RunView): Promise<RunView> => {
  for (let view = started; ; view = (await json<RunView>('GET', `/v1/runs/${view.run_id}`)).body) {
    if (view.status !== 'running') return view;
    await wait(10);
  }
};

describe('plans over HTTP', () => {
  test('X.07 plans that are tools nest three deep, and one that uses itself ends', { timeout: 60_000 }, async () => {
    const { json } = await workshop();
    const save = async (name: string, used: string, given: object = {}) => {
      const nodes = [{ id: 'a', tool: used, arguments: given }];
      const { body } = await json<Made>('POST', '/v1/plans', { nodes });
      const made = await json('POST', `/v1/plans/${body.plan_id}/tool`, { name, version: '1.0.0' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
    };
    const invoke = async (name: string) =>
      (
        await json<{ status: string; error?: { message: string } }>('POST', `/v1/tools/${name}/invoke`, {
          arguments: {},
        })
      ).body;
    await save('first', 'shout', { text: 'a' });
    await save('second', 'first');
    await save('third', 'second');
    await save('fourth', 'third');

    assert.equal((await invoke('third')).status, 'ok');
    const refused = await invoke('fourth');
    assert.equal(refused.status, 'failed');
    assert.match(refused.error?.message ?? '', /is used inside 3 plans that are tools, the limit; put its nodes/);

    await json('POST', '/v1/tools', tool('snake', { version: '1.0.0', parameters: { type: 'object' } }));
    const tail = (await json<Made>('POST', '/v1/plans', { nodes: [{ id: 'a', tool: 'snake', arguments: {} }] })).body;
    await json('DELETE', '/v1/tools/snake');
    await json('POST', `/v1/plans/${tail.plan_id}/tool`, { name: 'snake', version: '1.0.0' });
    assert.match((await invoke('snake')).error?.message ?? '', /is used inside 3 plans that are tools/);
  });

  test('X.07 a run and the plans inside it make 1,000 calls at most, counted in the table', async () => {
    let calls = 0;
    const counted: Handler = { permission: 'safe', run: async () => ({ text: String(++calls) }) };
    const [table, blobs] = [memoryTable(), memoryBlobs()];
    const made = await testAssay({
      table,
      blobs,
      handlers: { builtin: new Map([['shout', counted]]), internal: new Map() },
      startRuns: (context) => localRuns(context, blobs),
    });
    const { json } = made;
    await json('POST', '/v1/tools', tool('shout'));
    const save = async (name: string, count: number, used: string, given: object, chained = false) => {
      const nodes = Array.from({ length: count }, (_, n) => ({
        id: `n${n}`,
        tool: used,
        arguments: given,
        ...(chained && n > 0 ? { after: [`n${n - 1}`] } : {}),
      }));
      const { body } = await json<Made>('POST', '/v1/plans', { nodes });
      await json('POST', `/v1/plans/${body.plan_id}/tool`, { name, version: '1.0.0' });
      return body.plan_id;
    };
    const inner = await save('inner', 190, 'shout', { text: 'a' });
    const outer = await save('outer', 7, 'inner', {}, true);

    const run = await ended(made, (await json<RunView>('POST', `/v1/plans/${outer}/runs`, {})).body);

    assert.equal(run.status, 'failed');
    assert.equal(calls, 5 * 190, 'the sixth plan was refused before any of its nodes ran');
    assert.match(
      run.error?.message ?? '',
      /has 190 nodes, and the run \S+ with the plans inside it has 957 already; 1000 are allowed together; split/,
    );

    const other = await ended(made, (await json<RunView>('POST', `/v1/plans/${outer}/runs`, {})).body);
    assert.equal(calls, 10 * 190, 'another run has its own count');
    const left = await table.get(innerCallsKey('default', other.run_id));
    assert.equal(left?.body.calls, 950, 'stored with the run');

    const again = {
      tenant: 'default',
      plan_id: inner,
      run_id: 'inside',
      root: 'a-run',
      actor: { key_id: 'k', scopes: [] },
    };
    for (let start = 0; start < 2; start++) await made.assay.runs?.start(again);
    const once = await table.get(innerCallsKey('default', 'a-run'));
    assert.equal(once?.body.calls, 190, 'a run that is started again after a crash counts once');
  });

  test('X.07 the retries of a run’s nodes count towards its 1,000 calls, and are refused beyond them', async () => {
    let calls = 0;
    const broken: Handler = {
      permission: 'safe',
      run: async () => {
        calls++;
        throw new Error('broken');
      },
    };
    const blobs = memoryBlobs();
    const made = await testAssay({
      table: memoryTable(),
      blobs,
      handlers: { builtin: new Map([['shout', broken]]), internal: new Map() },
      startRuns: (context) => localRuns(context, blobs),
    });
    const { json } = made;
    await json('POST', '/v1/tools', tool('shout'));
    const on_failure = { policy: 'retry', attempts: 10 };
    const save = async (nodes: readonly object[]) => (await json<Made>('POST', '/v1/plans', { nodes })).body.plan_id;
    const leaf = await save([{ id: 'leaf', tool: 'shout', arguments: { text: 'a' }, on_failure }]);
    await made.assay.table.count(innerCallsKey('default', 'a-run'), { calls: 998 });
    const actor = { key_id: 'k', scopes: ['invoke'], root: 'a-run' };
    const inside = { tenant: 'default', plan_id: leaf, run_id: 'inside', root: 'a-run', actor };

    const run = await ended(made, (await made.assay.runs?.start(inside)) as RunView);

    assert.equal(calls, 2, 'one call and one retry are the last of 1,000');
    assert.equal(run.status, 'failed');
    assert.match(
      run.error?.message ?? '',
      /^the node leaf is not tried again: the run a-run with the plans inside it has made 1000 calls, retries among/,
    );
  });

  test('a call of a plan’s tool does not read its run again and again while it waits', async () => {
    const table = memoryTable();
    const { query } = table;
    let views = 0;
    Object.assign(table, {
      query: (pk: string, asked: { readonly prefix?: string }) => {
        // A node reads its own attempts, a view those of all nodes.
        if (pk.includes('#RUN#') && asked.prefix === 'NODE#') views++;
        return query(pk, asked);
      },
    });
    const slow: Handler = { permission: 'safe', run: async () => wait(300, { text: 'late' }) };
    const blobs = memoryBlobs();
    const { json } = await testAssay({
      table,
      blobs,
      handlers: { builtin: new Map([['shout', slow]]), internal: new Map() },
      startRuns: (context) => localRuns(context, blobs),
    });
    await json('POST', '/v1/tools', tool('shout'));
    const nodes = [{ id: 'a', tool: 'shout', arguments: { text: 'a' } }];
    const { body } = await json<Made>('POST', '/v1/plans', { nodes });
    await json('POST', `/v1/plans/${body.plan_id}/tool`, { name: 'slowly', version: '1.0.0' });

    const called = await json<{ status: string }>('POST', '/v1/tools/slowly/invoke', { arguments: {} });

    assert.equal(called.body.status, 'ok');
    assert.ok(views <= 4, `${views} views`);
  });

  test('X.06 nodes of a run that arrive together do not start in one turn, and their large input is read once', async () => {
    const [table, blobs] = [memoryTable(), memoryBlobs()];
    const turns = [0];
    let reads = 0;
    const { change } = table;
    const { get } = blobs;
    Object.assign(table, {
      change: (keys: readonly Key[], rule: never) => {
        const isAttempt = keys.some(({ sk }) => /^NODE#n\d+#/.test(sk));
        if (isAttempt) turns.push((turns.pop() ?? 0) + 1);
        return change(keys, rule);
      },
    });
    Object.assign(blobs, {
      get: (key: string) => {
        if (key.endsWith('/$input.json')) reads++;
        return get(key);
      },
    });
    const made = await testAssay({
      table,
      blobs,
      handlers: { builtin: new Map([['shout', shout]]), internal: new Map() },
      startRuns: (context) => localRuns(context, blobs),
    });
    const { json } = made;
    await json('POST', '/v1/tools', tool('shout'));
    const given = { text: { $from: '$input.text' } };
    const nodes = Array.from({ length: 100 }, (_, n) => ({ id: `n${n}`, tool: 'shout', arguments: given }));
    const { body } = await json<Made>('POST', '/v1/plans', { nodes });
    let timer = setImmediate(function watch() {
      turns.push(0);
      timer = setImmediate(watch);
    });

    const run = await json<RunView>('POST', `/v1/plans/${body.plan_id}/runs`, { input: { text: 'a'.repeat(150_000) } });
    assert.equal((await ended(made, run.body)).status, 'ok');

    clearImmediate(timer);
    // Calls that are recorded together end together.
    assert.ok(Math.max(...turns) < 50, `attempts begun or stored in a turn: ${turns.filter((count) => count > 0)}`);
    assert.equal(reads, 1);
  });

  test('R1.09 C.05 a plan is compiled to nodes, data edges, a tree and a state machine', async () => {
    const { json, request } = await workshop();

    const { status, body } = await json<Made>('POST', '/v1/plans', chain);

    assert.equal(status, 201);
    assert.deepEqual(
      body.edges.map(({ from, to, kind }) => [from, to, kind]),
      [
        ['a', 'b', 'data'],
        ['a', 'c', 'data'],
      ],
    );
    assert.equal(body.tree.kind, 'series');
    assert.equal(body.asl.QueryLanguage, 'JSONata');
    assert.equal((await json<Made>('GET', `/v1/plans/${body.plan_id}`)).body.plan_id, body.plan_id);
    assert.match(await (await request('GET', `/v1/plans/${body.plan_id}/picture`)).text(), /^<svg /);
  });

  test('R1.10 R1.11 a run passes outputs to inputs and reports each node', async () => {
    const shop = await workshop();
    const { body: plan } = await shop.json<Made>('POST', '/v1/plans', chain);

    const { status, body } = await shop.json<RunView>('POST', `/v1/plans/${plan.plan_id}/runs`, {
      input: { text: 'hi' },
    });
    const run = await ended(shop, body);

    assert.equal(status, 201);
    assert.equal(run.status, 'ok');
    assert.deepEqual(run.output, { b: { text: 'hi!!' }, c: { text: 'hi!!' } });
    assert.ok(run.nodes.every(({ attempts }) => attempts.length === 1));
    const { body: log } = await shop.json<{ executions: unknown[] }>('GET', '/v1/executions');
    assert.ok(log.executions.length >= 3);
  });

  test('R1.22 a confirm tool waits in the run for a key that may approve', async () => {
    const shop = await workshop();
    const { body: plan } = await shop.json<Made>('POST', '/v1/plans', {
      nodes: [{ id: 'q', tool: 'ask', arguments: { text: 'really' } }],
    });
    const { body: started } = await shop.json<RunView>('POST', `/v1/plans/${plan.plan_id}/runs`, {});
    const agent = await shop.key({ scopes: ['invoke', 'read'] });
    const path = `/v1/runs/${started.run_id}/nodes/q/confirm`;
    for (
      let view = started;
      view.nodes[0]?.status !== 'waiting_approval';
      view = (await shop.json<RunView>('GET', `/v1/runs/${started.run_id}`)).body
    )
      await wait(5);

    assert.equal((await shop.json('POST', path, { approve: true }, agent)).status, 403);
    assert.equal((await shop.json('POST', path, { approve: true })).status, 200);
    assert.equal((await ended(shop, started)).status, 'ok');
  });

  test('GET /v1/runs lists the runs of the caller’s tenant newest first, by status, in pages', async () => {
    const shop = await workshop();
    const start = async (tool: string): Promise<RunView> => {
      const { body } = await shop.json<Made>('POST', '/v1/plans', {
        nodes: [{ id: 'q', tool, arguments: { text: tool } }],
      });
      return (await shop.json<RunView>('POST', `/v1/plans/${body.plan_id}/runs`, {})).body;
    };
    const first = await ended(shop, await start('shout'));
    const asking = await start('ask');
    const last = await ended(shop, await start('shout'));
    interface Listed {
      readonly runs: readonly RunView[];
      readonly next_cursor?: string;
    }
    const list = async (query: string, key?: string) =>
      (await shop.json<Listed>('GET', `/v1/runs?${query}`, undefined, key)).body;
    const ids = ({ runs }: Listed) => runs.map(({ run_id: id }) => id);

    const page = await list('limit=2');
    assert.deepEqual(ids(page), [last.run_id, asking.run_id]);
    assert.deepEqual(ids(await list(`limit=2&cursor=${page.next_cursor}`)), [first.run_id]);
    assert.deepEqual(ids(await list('status=ok')), [last.run_id, first.run_id]);
    assert.deepEqual(ids(await list('status=waiting')), [asking.run_id]);
    assert.deepEqual(ids(await list('', await shop.key({ tenant: 'elsewhere', scopes: ['read'] }))), []);
    await shop.json('DELETE', `/v1/runs/${asking.run_id}`);
  });

  test('a plan saved as a tool is called like any other, and plans nest', async () => {
    const shop = await workshop();
    const { body: plan } = await shop.json<Made>('POST', '/v1/plans', { ...chain, input_schema: text });

    const saved = await shop.json<Registration>('POST', `/v1/plans/${plan.plan_id}/tool`, {
      name: 'shout_twice',
      version: '1.0.0',
    });
    assert.equal(saved.status, 201);
    const called = await shop.json<{ status: string; output: unknown }>('POST', '/v1/tools/shout_twice/invoke', {
      arguments: { text: 'hey' },
    });
    assert.deepEqual([called.body.status, called.body.output], ['ok', { b: { text: 'hey!!' }, c: { text: 'hey!!' } }]);
    const outer = await shop.json<Made>('POST', '/v1/plans', {
      nodes: [{ id: 'inner', tool: 'shout_twice', arguments: { text: 'x' } }],
    });
    const { body: started } = await shop.json<RunView>('POST', `/v1/plans/${outer.body.plan_id}/runs`, {});
    assert.equal((await ended(shop, started)).status, 'ok');
  });

  test('C.06 a plan called as a tool is paid once, and its dangerous nodes run by the grants of who called it', async () => {
    const shop = await workshop({ operations: {}, tools: { shout: 7, erase: 9 }, cached_share: 0 });
    const granted = (name: string) =>
      shop.json('PUT', `/v1/grants/admin/${name}`, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const call = () =>
      shop.json<{ charged_micros: number } & Refusal>('POST', '/v1/tools/wipe/invoke', { arguments: {} });
    assert.equal((await granted('erase')).status, 200);
    const { body: plan } = await shop.json<Made>('POST', '/v1/plans', {
      nodes: [
        { id: 'a', tool: 'shout', arguments: { text: 'x' } },
        { id: 'b', tool: 'erase', arguments: { text: { $from: 'a.text' } } },
      ],
    });
    await shop.json('POST', `/v1/plans/${plan.plan_id}/tool`, { name: 'wipe', version: '1.0.0' });

    assert.equal((await call()).status, 403);
    assert.equal((await granted('wipe')).status, 200);
    const { status, body } = await call();

    assert.deepEqual([status, body.charged_micros], [200, 16]);
    await shop.assay.recorder.flush();
    const { body: usage } = await shop.json<{ micros: number; keys: { micros: number }[] }>('GET', '/v1/usage');
    assert.equal(
      usage.keys.reduce((sum, { micros }) => sum + micros, 0),
      16,
    );
  });

  test('cycles, unknown tools, missing paths and dangerous tools without a grant are refused before anything runs', async () => {
    const { json } = await workshop();
    const node = (id: string, more: object = {}) => ({ id, tool: 'shout', arguments: { text: 'x' }, ...more });
    const cases: readonly (readonly [object, number, RegExp])[] = [
      [{ nodes: [node('a', { after: ['b'] }), node('b', { after: ['a'] })] }, 400, /a.*b/],
      [{ nodes: [node('a', { tool: 'shuot' })] }, 400, /shuot/],
      [{ nodes: [node('a'), node('a')] }, 400, /a/],
      [{ nodes: [node('a'), node('b', { arguments: { text: { $from: 'a.nothing' } } })] }, 400, /nothing/],
      [{ nodes: [node('a', { tool: 'erase' })] }, 403, /dangerous tool erase/],
      [{ nodes: Array.from({ length: 201 }, (_, index) => node(`n${index}`)) }, 400, /200/],
      [{ nodes: [] }, 400, /nodes/],
    ];
    for (const [plan, status, message] of cases) {
      const answer = await json<Refusal>('POST', '/v1/plans', plan);
      assert.match(answer.body.error.message, message);
      assert.ok(answer.status === status || answer.status === 404, JSON.stringify(answer.body));
    }
    assert.equal((await json('GET', '/v1/plans/nope')).status, 404);
    assert.equal((await json('GET', '/v1/runs/nope')).status, 404);
  });

  test('one tenant cannot see or run the plans of another', async () => {
    const { json, key } = await workshop();
    const { body: plan } = await json<Made>('POST', '/v1/plans', {
      nodes: [{ id: 'a', tool: 'shout', arguments: { text: 'x' } }],
    });
    const { body: run } = await json<RunView>('POST', `/v1/plans/${plan.plan_id}/runs`, {});
    const other = await key({ scopes: ['read', 'invoke', 'approve'], tenant: 'acme' });

    assert.equal((await json('GET', `/v1/plans/${plan.plan_id}`, undefined, other)).status, 404);
    assert.equal((await json('POST', `/v1/plans/${plan.plan_id}/runs`, {}, other)).status, 404);
    assert.equal((await json('GET', `/v1/runs/${run.run_id}`, undefined, other)).status, 404);
    assert.equal((await json('DELETE', `/v1/runs/${run.run_id}`, undefined, other)).status, 404);
  });
});
