import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outcome } from '../../shared/model/call.ts';
import { readEvents } from '../../shared/registry/events.ts';
import { testAssay } from '../support/assay.ts';
import { connectClient, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const prices = { operations: { run: 40 }, tools: {}, cached_share: 0.1 };
const invoke = '/v1/tools/weather_lookup/invoke';
const bern = { arguments: { city: 'Bern' } };

const shop = async (fields: object = {}) => {
  const given = await testAssay({ prices });
  await given.json('POST', '/v1/tools', aTool({ price_micros: 250, ...fields }));
  return given;
};

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly details: object };
}

const usedOf = async ({ json }: Awaited<ReturnType<typeof shop>>) =>
  (await json<{ calls: number; micros: number }>('GET', '/v1/usage')).body;

describe('spend control', () => {
  test('a call priced above max_micros is refused before it runs, and one at its price runs', async () => {
    const given = await shop();
    const payer = await given.key({ scopes: ['invoke'], quota: { calls: 1 } });

    const refused = await given.json<Refusal>('POST', invoke, { ...bern, max_micros: 249 }, payer);
    const passed = await given.json<Outcome>('POST', invoke, { ...bern, max_micros: 250 }, payer);

    assert.equal(refused.status, 402);
    assert.deepEqual(refused.body.error.details, { tool: 'weather_lookup', price_micros: 250, max_micros: 249 });
    assert.deepEqual([passed.status, passed.body.charged_micros], [200, 250], 'the refusal used nothing of the quota');
    assert.equal((await given.json('POST', invoke, { ...bern, max_micros: -1 }, payer)).status, 400);
  });

  test('max_micros is checked before a person is asked', async () => {
    const given = await shop({ permission: 'confirm' });

    const { status } = await given.json('POST', invoke, { ...bern, max_micros: 1 });

    assert.equal(status, 402);
    const { body } = await given.json<{ confirmations: unknown[] }>('GET', '/v1/confirmations');
    assert.deepEqual(body.confirmations, []);
  });

  test('dry_run gives the price and the permission, checks the arguments, and stores nothing', async () => {
    const given = await shop({ permission: 'confirm' });

    const quote = await given.json('POST', invoke, { ...bern, dry_run: true, max_micros: 100 });
    const wrong = await given.json('POST', invoke, { arguments: {}, dry_run: true });

    assert.deepEqual(quote.body, {
      dry_run: true,
      tool: 'weather_lookup',
      version: 'unversioned',
      permission: 'confirm',
      price_micros: 250,
      within_max: false,
    });
    assert.equal(wrong.status, 400);
    const { body } = await given.json<{ executions: unknown[] }>('GET', '/v1/executions');
    assert.deepEqual([body.executions, (await usedOf(given)).calls], [[], 0]);
  });

  test('an MCP client limits the price of a call by its _meta', async () => {
    const given = await shop();
    const client = await connectClient(given.app, await given.key({ scopes: ['invoke'] }), { era: 'modern' });
    const call = (max: unknown) =>
      client.callTool({ name: 'weather_lookup', ...bern, _meta: { 'assay/max_micros': max } });

    const [refused, wrong, passed] = [await call(10), await call('much'), await call(250)];
    await client.close();

    assert.match(textOf(refused), /^PaymentRequired: weather_lookup costs 250/);
    assert.match(textOf(wrong), /^InvalidInput/);
    assert.equal(passed.isError, undefined);
  });

  test('at four fifths of a quota responses say so, and one event reports it', async () => {
    const given = await shop();
    const payer = await given.key({ scopes: ['invoke'], quota: { calls: 10, micros: 2500 } });
    const headers: (string | null)[] = [];

    for (let count = 0; count < 10; count++) {
      const response = await given.request('POST', invoke, bern, payer);
      headers.push(response.headers.get('assay-quota-near-end'));
    }

    assert.deepEqual(headers, [
      ...Array.from({ length: 7 }, () => null),
      ...Array.from({ length: 3 }, () => 'calls, micros'),
    ]);
    const events = await readEvents(given.assay.table, 'default', 0, 100);
    const told = events.filter(({ type }) => type === 'quota-near-end').map(({ reason = '' }) => reason);
    assert.equal(told.length, 2);
    assert.match(told[0] ?? '', /has used 8 of 10 calls/);
    assert.match(told[1] ?? '', /has used 2000 of 2500 micros/);
  });
});
