import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createChildPool } from '../../shared/adapters/node/child-pool.ts';
import { createFairQueue } from '../../shared/kernel/fair-queue.ts';
import { giveTime, PATIENT_MS, toolsAssay } from '../support/execution.ts';

const loop = { data: {}, expression: '($f := function($x) { $f($x + 1) }; $f(1))' };
const sum = { data: 1, expression: '$ + 1' };
const quickChild = new URL('../support/quick-child.ts', import.meta.url);

describe('tenants take turns', () => {
  test('X.06 eight looping queries of one tenant do not delay the query of another', async (t) => {
    const { assay, invoke, key } = await toolsAssay(t);
    // However slow the machine, no loop ends by itself before the others were served.
    giveTime(assay, 'json_query', 300);
    const attacker = await key({ scopes: ['invoke'], tenant: 'loud' });
    const polite = await key({ scopes: ['invoke'], tenant: 'polite' });
    let ended = 0;
    const attack = Array.from({ length: 8 }, () => invoke('json_query', loop, attacker).finally(() => ended++));

    for (let call = 0; call < 5; call++)
      assert.equal((await invoke('json_query', sum, polite)).body.status, 'ok', `call ${call}`);
    assert.equal(ended, 0, 'the loops ran or waited meanwhile');
    void Promise.allSettled(attack);
  });

  test('the timeout of a call starts when its turn begins', async (t) => {
    const { assay, invoke, key } = await toolsAssay(t);
    giveTime(assay, 'json_query', 2);
    const tenant = await key({ scopes: ['invoke'], tenant: 'loud' });

    const [first, second] = await Promise.all([invoke('json_query', loop, tenant), invoke('json_query', sum, tenant)]);

    assert.match(first.body.error.message, /did not answer within 2 s/);
    assert.equal(second.body.status, 'ok');
  });

  test('X.07 a full queue refuses with RateLimited and a time to retry, and accepts other tenants', async (t) => {
    const pool = createChildPool({ file: quickChild, mostWaiting: 2, longestWaitMs: PATIENT_MS });
    t.after(() => pool.close());
    const caller = (tenant: string, signal = new AbortController().signal) => ({ tenant, signal, spent: () => {} });
    const [begun, stop] = [Promise.withResolvers<void>(), new AbortController()];
    const looping = (started?: () => void) =>
      pool.run(
        { name: 'json_query', args: JSON.stringify(loop) },
        { ...caller('loud', stop.signal), ...(started && { started }) },
      );
    const first = looping(begun.resolve);
    await begun.promise;
    const jobs = [first, looping(), looping()];

    await assert.rejects(pool.run({ name: 'json_query', args: JSON.stringify(sum) }, caller('loud')), {
      code: 'RateLimited',
      message: /^all processes are busy: this tenant waits for 2 of its calls, each for at most/,
    });
    assert.deepEqual(
      'text' in (await pool.run({ name: 'json_query', args: JSON.stringify(sum) }, caller('polite'))),
      true,
    );
    stop.abort(new Error('enough'));
    assert.deepEqual(
      (await Promise.allSettled(jobs)).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
  });

  test('a refusal by the queue answers 429 with Retry-After', async (t) => {
    const { request, key } = await toolsAssay(t, undefined, { mostWaiting: 0 });
    const tenant = await key({ scopes: ['invoke'] });

    const response = await request('POST', '/v1/tools/json_query/invoke', { arguments: sum }, tenant);

    assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '1']);
  });

  test('X.06 no tenant gets a second turn before every waiting tenant had its first', () => {
    const tenants = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
    fc.assert(
      fc.property(tenants, (pushed) => {
        const queue = createFairQueue<{ tenant: string }>(100);
        for (const tenant of pushed) queue.push(tenant, { tenant });
        const taken: string[] = [];
        for (let job = queue.take(() => true); job; job = queue.take(() => true)) taken.push(job.tenant);
        const turns = taken.map((tenant, at) => taken.slice(0, at).filter((name) => name === tenant).length);
        assert.deepEqual(taken.toSorted(), pushed.toSorted());
        assert.deepEqual(
          turns,
          turns.toSorted((one, other) => one - other),
        );
      }),
    );
  });
});
