import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shippedPrices } from '../../functions/compose/shipped-tools.ts';
import { toolsAssay } from '../support/execution.ts';
import { aTool } from '../support/tools.ts';

const onBuiltin = (name: string, handler: string, more: object = {}) =>
  aTool({ name, handler, parameters: { type: 'object' }, implementation: { type: 'builtin', handler }, ...more });

describe('a definition cannot weaken its handler’s limits', () => {
  test('X.08 arguments are also checked by the handler’s schema', async (t) => {
    const { invoke, json } = await toolsAssay(t);
    await json('POST', '/v1/tools', onBuiltin('my_diff', 'text_diff'));

    const { status, body } = await invoke('my_diff', { before: 'a', after: 'b', context: 50_000_000 });

    assert.deepEqual([status, body.error.code], [400, 'InvalidInput']);
    assert.match(body.error.message, /^arguments of my_diff are not valid: context must be <= 100/);
    assert.equal((await invoke('my_diff', { before: 'a', after: 'b' })).body.status, 'ok');
  });

  test('X.08 a call is charged at least the price of its handler', async (t) => {
    const { invoke, json } = await toolsAssay(t, { prices: shippedPrices() });
    await json('POST', '/v1/tools', onBuiltin('free_hash', 'hash', { price_micros: 0 }));
    await json('POST', '/v1/tools', onBuiltin('dear_hash', 'hash', { price_micros: 500 }));

    const charged = async (tool: string) => (await invoke(tool, { text: 'a' })).body.charged_micros;

    assert.deepEqual([await charged('hash'), await charged('free_hash'), await charged('dear_hash')], [10, 10, 500]);
  });
});
