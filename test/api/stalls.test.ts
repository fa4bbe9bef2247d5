import assert from 'node:assert/strict';
import { request as ask } from 'node:http';
import { describe, test } from 'node:test';
import { listen } from '../../functions/cli/listen.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { testAssay } from '../support/assay.ts';
import { assayWith } from '../support/execution.ts';

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly details: { readonly issues: unknown[] } };
}

describe('small stalls and small leaks', () => {
  test('an error names at most twenty fields, whatever the body has', async () => {
    const { json } = await testAssay();
    const many = Object.fromEntries(Array.from({ length: 18_000 }, (_, n) => [`field_${n}`, n]));

    const { body } = await json<Refusal>('POST', '/v1/feedback', many);

    const text = JSON.stringify(body);
    assert.ok(text.length < 4000, `${text.length} characters`);
    assert.match(text, /and 17980 more/);
  });

  test('X.06 an object of more than 20,000 fields is refused before it is parsed, and a long list is none', async () => {
    const { json } = await testAssay();
    const fields = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k"\\${n}`, value]));
    for (const [many, status] of [
      [fields(20_001, 1), 413],
      [{ a: [{ b: fields(20_001, { 'c:': {} }) }] }, 413],
      [fields(19_999, { 'c:': ':' }), 400],
    ] as const) {
      const answer = await json<Refusal>('POST', '/v1/feedback', many);
      assert.equal(answer.status, status);
      if (status === 413) assert.match(answer.body.error.message, /more than 20000 fields in one object; send a list/);
    }

    const list = Array.from({ length: 60_000 }, (_, n) => ({ n }));
    assert.equal((await json<Refusal>('POST', '/v1/feedback', { list })).status, 400, 'for its unknown field alone');
  });

  test('large bodies that arrive together are parsed in a turn of the event loop each', async () => {
    const { request } = await testAssay();
    const large = { list: Array.from({ length: 60_000 }, (_, n) => n) };
    const turns = [0];
    let timer = setImmediate(function watch() {
      turns.push(0);
      timer = setImmediate(watch);
    });
    const ask = async (): Promise<void> => {
      const headers = { 'content-length': String(JSON.stringify(large).length) };
      assert.equal((await request('POST', '/v1/feedback', large, undefined, headers)).status, 400);
      turns.push((turns.pop() ?? 0) + 1);
    };

    await Promise.all(Array.from({ length: 6 }, ask));

    clearImmediate(timer);
    assert.equal(Math.max(...turns), 1, `answers a turn: ${turns.filter((answers) => answers > 0)}`);
  });

  test('arguments with many unknown fields are refused with a short list', async () => {
    const definition = { parameters: { type: 'object', properties: {}, additionalProperties: false } };
    const { invoke } = await assayWith({ nothing: async () => 1 }, { definition });

    const { status, body } = await invoke(
      'nothing',
      Object.fromEntries(Array.from({ length: 18_000 }, (_, n) => [`f${n}`, 1])),
    );

    assert.equal(status, 400);
    assert.equal((body.error.details as unknown as { issues: unknown[] }).issues.length, 21);
  });

  test('the host is checked on every path of a server on the loopback', async (t) => {
    const { app } = await testAssay();
    const server = await listen(app, '127.0.0.1', 0);
    t.after(() => server.close());
    const statusFor = (host: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        ask(`${server.address}${path}`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });

    for (const path of ['/', '/v1/tools', '/healthz']) assert.equal(await statusFor('evil.example', path), 403, path);
    assert.equal(await statusFor('localhost:1', '/healthz'), 200);
  });

  test('answers of /v1 are not sniffed', async () => {
    const { request } = await testAssay();
    for (const path of ['/v1/tools', '/v1/tools/none'])
      assert.equal((await request('GET', path)).headers.get('x-content-type-options'), 'nosniff', path);
  });

  test('a 503 does not name the table', async () => {
    const table = memoryTable();
    const { json, key, log } = await testAssay({ table });
    const someone = await key({ scopes: ['read'] });
    Object.assign(table, {
      get: async () => {
        throw new Fault('Unavailable', 'table assay-prod does not answer', { table: 'assay-prod' });
      },
    });

    const { status, body } = await json<Refusal>('GET', '/v1/usage', undefined, someone);

    assert.equal(status, 503);
    assert.ok(!JSON.stringify(body).includes('assay-prod'));
    assert.ok(log.lines.some(({ fields }) => String(fields.error).includes('assay-prod')));
  });
});
