import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminActor } from '../../shared/access/scopes.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { Actor } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { assayWith } from '../support/execution.ts';
import { doublingSchema } from '../support/schemas.ts';
import { aTool } from '../support/tools.ts';

const actor: Actor = { keyId: 'k1', tenant: 'default', scopes: new Set(['invoke']) };

describe('outcomes of calls', () => {
  test('an outcome is the output as JSON, with the call, tool, version and time', async () => {
    const { invoke } = await assayWith({ now: async () => ({ at: new Date(0), nothing: undefined, list: [1] }) });

    const { status, body } = await invoke('now', {});

    assert.equal(status, 200);
    assert.deepEqual(body.output, { at: '1970-01-01T00:00:00.000Z', list: [1] });
    assert.equal(body.status, 'ok');
    assert.equal(body.cached, false);
    assert.equal(body.version, 'unversioned');
    assert.match(body.call_id, /^[0-9A-Z]{26}$/);
    assert.ok(body.duration_ms >= 0);
  });

  test('a call fills in defaults before the tool sees the arguments', async () => {
    const parameters = { type: 'object', properties: { unit: { type: 'string', default: 'C' } } };
    const { invoke } = await assayWith({ echo: async (args) => args }, { definition: { parameters } });

    const { body } = await invoke('echo', {});

    assert.deepEqual(body.output, { unit: 'C' });
  });

  const failures: readonly (readonly [string, () => Promise<unknown>, string, RegExp])[] = [
    ['throws a text', () => Promise.reject('just a text'), 'Error', /just a text/],
    ['throws nothing', () => Promise.reject(undefined), 'Error', /undefined/],
    [
      'throws an object with a getter that throws',
      () => Promise.reject({ toJSON: () => boom() }),
      'Error',
      /cannot be shown/,
    ],
    ['throws an error of its own kind', () => Promise.reject(new RangeError('too far')), 'RangeError', /too far/],
    ['throws before its first await', () => boom(), 'Error', /boom/],
    ['returns 20 MB', async () => 'x'.repeat(20 * 1024 * 1024), 'OutputTooLarge', /more than 4194304 bytes/],
    ['returns what JSON cannot say', async () => ({ big: 1n }), 'InvalidOutput', /JSON/],
    ['returns itself', async () => circle(), 'InvalidOutput', /JSON/],
  ];
  for (const [what, run, type, message] of failures)
    test(`the outcome of a tool that ${what} is failed, and the next call works`, async () => {
      const { invoke } = await assayWith({ bad: run, good: async () => 'still here' });

      const { status, body } = await invoke('bad', {});

      assert.equal(status, 200);
      assert.equal(body.status, 'failed');
      assert.equal((body.error as unknown as { type: string }).type, type);
      assert.match((body.error as unknown as { message: string }).message, message);
      assert.equal('output' in body, false);
      assert.equal((await invoke('good', {})).body.output, 'still here');
    });

  test('output that violates the output_schema gives a failed outcome with the path', async () => {
    const definition = { output_schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } };
    const { invoke } = await assayWith({ wrong: async () => ({ a: 'x' }) }, { definition });

    const { body } = await invoke('wrong', {});

    assert.deepEqual(body.error, {
      type: 'InvalidOutput',
      message: 'wrong returned what its output_schema refuses: a must be integer',
    });
  });

  test('a tool that never returns times out, and its signal is aborted', async () => {
    let told: unknown;
    const hang = (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener('abort', () => (told = signal.reason));
      return new Promise<never>(() => {});
    };
    const { invoke } = await assayWith({ hang }, { definition: { timeout_seconds: 0.05 } });

    const { body } = await invoke('hang', {});

    assert.deepEqual(body.error, { type: 'Timeout', message: 'hang did not answer within 0.05 s' });
    assert.equal((told as Error).name, 'Timeout');
  });

  test('a call that its caller cancels has the outcome cancelled', async () => {
    const { assay } = await assayWith({ hang: () => new Promise<never>(() => {}) });
    const caller = new AbortController();
    const running = executeTool(assay, actor, { name: 'hang', arguments: {} }, caller.signal);

    caller.abort();

    assert.equal((await running).error?.type, 'Cancelled');
    const early = await executeTool(assay, actor, { name: 'hang', arguments: {} }, AbortSignal.abort());
    assert.equal(early.error?.type, 'Cancelled');
  });

  test('a failure after the timeout does not change the outcome', async () => {
    const late = async () => {
      await sleep(300);
      throw new Error('too late');
    };
    const { invoke } = await assayWith({ late }, { definition: { timeout_seconds: 0.01 } });

    const { body } = await invoke('late', {});
    await sleep(350);

    assert.equal((body.error as unknown as { type: string }).type, 'Timeout');
  });
});

describe('refused calls', () => {
  test('arguments that violate the schema are refused, with every path', async () => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
      additionalProperties: false,
    };
    let ran = 0;
    const { invoke } = await assayWith({ forecast: async () => ran++ }, { definition: { parameters } });

    const { status, body } = await invoke('forecast', { days: 0, more: true });

    assert.equal(status, 400);
    assert.equal(body.error.code, 'InvalidInput');
    const issues = body.error.details.issues as unknown as { path: string }[];
    assert.deepEqual(issues.map(({ path }) => path).sort(), ['city', 'days', 'more']);
    assert.equal(ran, 0);
  });

  test('calls of a disabled tool or a deprecated version are refused; others run', async () => {
    const { json, log } = await testAssay();
    await json('POST', '/v1/tools', aTool({ version: '1.0.0' }));
    await json('POST', '/v1/tools', aTool({ version: '2.0.0' }));
    await json('PATCH', '/v1/tools/weather_lookup', { deprecated: 'use 2', version: '1.0.0' });
    const invoke = (body: object) =>
      json<{ error?: { code: string; message: string } }>('POST', '/v1/tools/weather_lookup/invoke', {
        arguments: { city: 'Bern' },
        ...body,
      });

    const deprecated = await invoke({ version: '1.0.0' });
    const current = await invoke({});
    await json('PATCH', '/v1/tools/weather_lookup', { enabled: false });
    const disabled = await invoke({});

    assert.equal(deprecated.status, 503);
    assert.match(deprecated.body.error?.message ?? '', /1\.0\.0 is deprecated \(use 2\)/);
    assert.equal(current.status, 200);
    assert.equal(disabled.status, 503);
    const refused = log.lines.filter(({ message }) => message === 'call refused');
    assert.deepEqual(
      refused.map(({ fields }) => fields.code),
      ['Unavailable', 'Unavailable'],
    );
    const { body } = await json<{ executions: { status: string }[] }>('GET', '/v1/executions?status=refused');
    assert.equal(body.executions.length, 2);
  });

  test('calls of an unknown version, an unknown tool, or a tool outside the key’s list are refused', async () => {
    const { json, key } = await testAssay();
    await json('POST', '/v1/tools', aTool({ version: '1.0.0' }));
    const confined = await key({ scopes: ['invoke'], tools: ['other_tool'] });
    const path = '/v1/tools/weather_lookup/invoke';

    assert.equal((await json('POST', path, { version: '9.0.0' })).status, 404);
    assert.equal((await json('POST', '/v1/tools/nothing/invoke', {})).status, 404);
    assert.equal((await json('POST', path, { arguments: { city: 'x' } }, confined)).status, 404);
  });

  test('every call whose schema would take forever to check is refused', async () => {
    const { invoke } = await assayWith({ slow: async () => 1 }, { definition: { parameters: doublingSchema(40) } });

    const first = await invoke('slow', {});
    const second = await invoke('slow', {});

    assert.deepEqual([first.status, second.status], [400, 400]);
    for (const { body } of [first, second]) assert.match(body.error.message, /cannot be checked within 50 ms/);
  });

  test('a call whose check compares too much is refused, and a smaller one later is not', async () => {
    const parameters = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } };
    const { invoke } = await assayWith({ unique: async () => 1 }, { definition: { parameters } });
    const list = Array.from({ length: 40_000 }, (_, n) => ({ a: 1, n }));

    assert.equal((await invoke('unique', { list })).status, 400);
    assert.equal((await invoke('unique', { list: [{ n: 1 }, { n: 2 }] })).status, 200);
  });

  test('a call is not refused because its schema uses a definition twice', async () => {
    const $defs = { place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } };
    const place = { $ref: '#/$defs/place' };
    const parameters = { type: 'object', properties: { from: place, to: place }, $defs };
    const { invoke } = await assayWith({ travel: async () => 1 }, { definition: { parameters } });

    assert.equal((await invoke('travel', { from: { city: 'Bern' }, to: { city: 'Basel' } })).status, 200);
    assert.equal((await invoke('travel', { from: { city: 'Bern' }, to: {} })).status, 400);
  });

  test('a call is refused when its handler is no longer loaded', async () => {
    const { assay } = await assayWith({ soon: async () => 1 });
    const later = { ...assay, handlers: () => ({ builtin: new Map(), internal: new Map() }) };

    await assert.rejects(executeTool(later, adminActor(), { name: 'soon', arguments: {} }), { name: 'Unavailable' });
  });
});

function boom(): never {
  throw new Error('boom');
}

function circle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
