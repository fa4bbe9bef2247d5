import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import type { Handler, Table, Timers } from '../../shared/kernel/ports.ts';
import type { Outcome } from '../../shared/model/call.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { aTool } from '../support/tools.ts';

const prices = { operations: {}, tools: {}, cached_share: 0.1 };
const TERM_MS = 90_000;
const bern = { arguments: { city: 'Bern' } };

/** Timers that only a test lets pass. */
const heldTimers = (): Timers & { beat(): void } => {
  const works = new Set<() => void>();
  return {
    ...systemTimers,
    every(_, work) {
      works.add(work);
      return () => works.delete(work);
    },
    beat: () => {
      for (const work of works) work();
    },
  };
};

/** Servers on one table and one clock; each has a tool that answers when it is told to. */
const twoServers = async (tableOfFirst = (table: Table): Table => table) => {
  const clock = standingClock();
  const table = memoryTable({ now: clock.now });
  const server = async (own: Table) => {
    const timers = heldTimers();
    const ran: string[] = [];
    let answer = (): void => {};
    let isWaiting = false;
    const handler: Handler = {
      permission: 'safe',
      run: (_, { callId }) => {
        ran.push(callId);
        return isWaiting
          ? new Promise((resolve) => (answer = () => resolve({ ok: true })))
          : Promise.resolve({ ok: true });
      },
    };
    const wait = (): void => {
      isWaiting = true;
    };
    const handlers = { builtin: new Map(), internal: new Map([['effect', handler]]) };
    const made = await testAssay({ table: own, clock, timers, prices, handlers });
    return { ...made, timers, ran, answer: () => answer(), wait };
  };
  const [first, second] = [await server(tableOfFirst(table)), await server(table)];
  for (const idempotent of [true, false]) {
    const implementation = { type: 'internal', handler: 'effect' };
    const name = idempotent ? 'repeatable' : 'effect';
    const tool = aTool({ name, price_micros: 100, idempotent, implementation });
    assert.equal((await first.json('POST', '/v1/tools', tool)).status, 201);
  }
  return { first, second, clock, table };
};

const send = async ({ request }: Pick<TestAssay, 'request'>, tool: string) => {
  const path = `/v1/tools/${tool}/invoke`;
  const response = await request('POST', path, bern, undefined, { 'idempotency-key': 'one' });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Outcome & Refused };
};
interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly details: Record<string, number> };
}

const charged = async ({ json, assay }: TestAssay): Promise<readonly number[]> => {
  await assay.recorder.flush();
  const { calls, micros } = (await json<{ calls: number; micros: number }>('GET', '/v1/usage')).body;
  return [calls, micros];
};

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a repeated Idempotency-Key', () => {
  test('a repeated Idempotency-Key is recognised under any host name, but not with another query', async () => {
    const { app } = await testAssay();
    const ask = (address: string) =>
      app.request(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify(aTool()),
      });

    const first = await ask('http://127.0.0.1:8787/v1/tools');
    const second = await ask('https://edge.example/v1/tools');
    const other = await ask('http://127.0.0.1:8787/v1/tools?a=1');

    assert.deepEqual([first.status, second.status, other.status], [201, 201, 409]);
    assert.equal(await second.text(), await first.text());
  });

  test('a repeated multipart form is recognised by its parts, though its boundary differs', async () => {
    const { app } = await testAssay();
    const ask = (text: string, type = 'image/png') => {
      const body = new FormData();
      body.append('image', new Blob([text], { type }), 'a.png');
      const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'idempotency-key': 'one' };
      return app.request('/v1/keys', { method: 'POST', headers, body });
    };

    const [first, second] = [await ask('picture'), await ask('picture')];

    assert.deepEqual([first.status, second.status], [400, 400]);
    assert.equal(second.headers.get('idempotent-replay'), 'true');
    assert.deepEqual([(await ask('another')).status, (await ask('picture', 'image/gif')).status], [409, 409]);
  });

  test('a repeat during the first request is told how long its lease lasts, which heartbeats renew', async () => {
    const { first, second, clock } = await twoServers();
    first.wait();
    const slow = send(first, 'effect');
    await turns();

    const early = await send(second, 'effect');
    clock.move(60_000);
    first.timers.beat();
    await turns();
    clock.move(60_000);
    const late = await send(second, 'effect');
    first.answer();

    assert.deepEqual([early.status, early.body.error.details.taken_over_in_seconds], [409, 90]);
    assert.deepEqual([late.status, late.body.error.details.taken_over_in_seconds], [409, 30]);
    assert.equal((await slow).status, 200);
    assert.deepEqual((await send(second, 'effect')).body, (await slow).body);
    assert.deepEqual(await charged(first), [1, 100]);
  });

  test('an idempotent tool whose process died runs again under the same call id', async () => {
    const { first, second, clock } = await twoServers();
    first.wait();
    void send(first, 'repeatable');
    await turns();
    clock.move(TERM_MS);

    const { status, body } = await send(second, 'repeatable');

    assert.deepEqual([status, body.status, body.charged_micros], [200, 'ok', 100]);
    assert.deepEqual(second.ran, first.ran);
    assert.equal(body.call_id, first.ran[0]);
    assert.deepEqual(await charged(second), [1, 100]);
    first.answer();
  });

  test('any other tool whose process died ends as interrupted, uncharged, and does not run again', async () => {
    const { first, second, clock } = await twoServers();
    first.wait();
    void send(first, 'effect');
    await turns();
    clock.move(TERM_MS);

    const { status, body } = await send(second, 'effect');

    assert.deepEqual([status, body.status, body.charged_micros], [200, 'interrupted', 0]);
    assert.match(body.error.message, /not charged.*new Idempotency-Key/);
    assert.deepEqual(second.ran, []);
    assert.deepEqual((await send(second, 'effect')).body, body);
    assert.deepEqual(await charged(second), [0, 0]);
    const { body: record } = await second.json<{ status: string }>('GET', `/v1/executions/${body.call_id}`);
    assert.equal(record.status, 'interrupted');
    first.answer();
  });

  test('X.04 a call that ends as interrupted returns its quota reservation at once', async () => {
    const { first, second, clock } = await twoServers();
    const key = await first.key({ scopes: ['invoke'], quota: { calls: 1 } });
    const ask = (server: TestAssay, once: string): Promise<Response> =>
      server.request('POST', '/v1/tools/effect/invoke', bern, key, { 'idempotency-key': once });
    first.wait();
    void ask(first, 'one');
    await turns();
    clock.move(TERM_MS);

    const { status } = (await (await ask(second, 'one')).json()) as Outcome;

    const { body } = await second.json<Verification>('GET', '/v1/usage/verification');
    assert.deepEqual([status, body.differences], ['interrupted', []]);
    first.answer();
  });

  test('a repeat answers from the ledger when the process died before it stored the response', async () => {
    let changes = 0;
    const { first, second, clock } = await twoServers((table) => ({
      ...table,
      change: (keys, rule) =>
        keys.some(({ sk }) => sk === 'ONCE') && ++changes === 2
          ? Promise.reject(new Error('died'))
          : table.change(keys, rule),
    }));

    assert.equal((await send(first, 'effect')).status, 500);
    clock.move(TERM_MS);
    const { status, body } = await send(second, 'effect');

    assert.deepEqual([status, body.status, body.output, body.charged_micros], [200, 'ok', { ok: true }, 100]);
    assert.deepEqual([body.call_id, second.ran.length], [first.ran[0], 0]);
    assert.deepEqual(await charged(second), [1, 100]);
  });

  test('an owner that was only slow notices the takeover and does not change the ledger', async () => {
    const { first, second, clock } = await twoServers();
    first.wait();
    const slow = send(first, 'effect');
    await turns();
    clock.move(TERM_MS);
    const taken = await send(second, 'effect');

    first.answer();
    const late = await slow;

    assert.deepEqual([late.status, late.body.error.code], [409, 'Conflict']);
    assert.deepEqual((await send(first, 'effect')).body, taken.body);
    assert.deepEqual(await charged(first), [0, 0]);
  });

  test('X.04 a request whose lease expired and was not taken over is interrupted, not refused for ever', async () => {
    for (const [tool, state] of [
      ['effect', 'interrupted'],
      ['repeatable', 'ok'],
    ] as const) {
      const { first, second, clock } = await twoServers();
      first.wait();
      const slow = send(first, tool);
      await turns();
      clock.move(TERM_MS);
      // A beat that comes too late does not make it the owner again.
      first.timers.beat();
      await turns();
      first.answer();

      assert.equal((await slow).status, 409);
      const { status, body } = await send(second, tool);
      assert.deepEqual([status, body.status, body.call_id], [200, state, first.ran[0]]);
    }
  });

  test('X.04 a call whose reservation lapsed while it ran continues under its call id', async () => {
    const { first, clock } = await twoServers();
    const key = await first.key({ scopes: ['invoke'], quota: { calls: 9 } });
    const once = { 'idempotency-key': 'one' };
    const ask = (): Promise<Response> => first.request('POST', '/v1/tools/repeatable/invoke', bern, key, once);
    first.wait();
    const slow = ask();
    for (let beats = 0; beats < 10; beats++) {
      await turns();
      clock.move(TERM_MS / 2);
      first.timers.beat();
    }
    await first.json('POST', '/v1/usage/verification');
    first.answer();
    const response = await slow;

    const { call_id, status } = (await response.json()) as Outcome;
    assert.deepEqual([response.status, status, call_id], [200, 'ok', first.ran[0]]);
    assert.deepEqual([(await ask()).status, first.ran.length], [200, 1]);
    assert.deepEqual(await charged(first), [1, 100]);
  });

  test('a request refused with 429 or 5xx is retried under the same call id', async () => {
    const { first } = await twoServers();
    const toggle = (enabled: boolean) => first.json('PATCH', '/v1/tools/effect', { enabled });
    await toggle(false);

    const refused = await send(first, 'effect');
    await toggle(true);
    const { status, body } = await send(first, 'effect');

    assert.deepEqual([refused.status, status, body.status], [503, 200, 'ok']);
    assert.deepEqual(await charged(first), [1, 100]);
  });

  test('a request refused for a missing grant or a used-up quota succeeds once it has one', async () => {
    const { first, second, clock } = await twoServers();
    await first.json('POST', '/v1/tools', aTool({ name: 'risky', permission: 'dangerous' }));
    const key = await first.key({ scopes: ['invoke'], quota: { calls: 1 } });
    const ask = async (server: TestAssay, tool: string, once: string) => {
      const headers = { 'idempotency-key': once };
      return (await server.request('POST', `/v1/tools/${tool}/invoke`, bern, key, headers)).status;
    };
    first.wait();
    const left = ask(first, 'repeatable', 'left').catch(() => {});
    while (first.ran.length === 0) await turns();

    assert.deepEqual([await ask(second, 'risky', 'granted'), await ask(second, 'effect', 'paid')], [403, 402]);
    // What the call that hangs had reserved lapses.
    clock.move(1_200_000);
    assert.deepEqual([await ask(second, 'effect', 'paid'), await ask(second, 'effect', 'paid')], [200, 200]);
    assert.equal(second.ran.length, 1);

    const grant = await second.json('PUT', `/v1/grants/${key.split('_')[1]}/risky`, {
      expires_at: '2026-12-01T00:00:00Z',
    });
    assert.equal(grant.status, 200, JSON.stringify(grant.body));
    assert.equal(await ask(second, 'risky', 'granted'), 402);
    first.answer();
    await left;
  });
});
