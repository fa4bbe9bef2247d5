import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { cutValue } from '../../shared/execute/cut-values.ts';
import { createRecorder } from '../../shared/execute/recorder.ts';
import { redactorFor } from '../../shared/execute/redact.ts';
import { digestOf, sha256 } from '../../shared/kernel/canonical-json.ts';
import { ulidTime } from '../../shared/kernel/ids.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { memoryLog } from '../support/assay.ts';
import { burnCpu } from '../support/burn.ts';
import { standingClock } from '../support/clock.ts';
import { assayWith } from '../support/execution.ts';

interface Page {
  readonly executions: readonly CallRecord[];
  readonly next_cursor?: string;
}

describe('execution records', () => {
  test('X.06 a refusal that names megabytes is recorded, and keeps no other record from being stored', async () => {
    const parameters = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
    const { json, request } = await assayWith({ add: async () => 3 }, { definition: { parameters } });

    const refused = await request('POST', '/v1/tools/add/invoke', { arguments: { ['x'.repeat(1_000_000)]: 1 } });
    await json('POST', '/v1/tools/add/invoke', { arguments: { a: 1 } });

    assert.equal(refused.status, 400);
    assert.ok((await refused.text()).length < 10_000);
    const { status, body } = await json<Page>('GET', '/v1/executions');
    assert.equal(status, 200);
    assert.deepEqual(
      body.executions.map((record) => record.status),
      ['ok', 'refused'],
    );
  });

  test('R1.24 a record holds tool, version, arguments, time, return value, key and request', async () => {
    const clock = standingClock();
    const { json, request, key } = await assayWith({ add: async ({ a, b }) => Number(a) + Number(b) }, { clock });
    const caller = await key({ scopes: ['invoke'] });
    const headers = { 'x-request-id': 'my-request' };

    const answer = await request('POST', '/v1/tools/add/invoke', { arguments: { a: 1, b: 2 } }, caller, headers);
    const { call_id: id } = (await answer.json()) as { call_id: string };

    const { body } = await json<Page>('GET', '/v1/executions');
    const [record] = body.executions;
    assert.equal(record?.call_id, id);
    assert.deepEqual(
      { ...record, duration_ms: 0, cpu_ms: 0, cpu_percent: 0, memory_delta_bytes: 0, memory_peak_bytes: 0 },
      {
        call_id: id,
        tool: 'add',
        version: 'unversioned',
        arguments: { a: 1, b: 2 },
        status: 'ok',
        output: 3,
        duration_ms: 0,
        cpu_ms: 0,
        cpu_percent: 0,
        memory_delta_bytes: 0,
        memory_peak_bytes: 0,
        cached: false,
        attempts: 1,
        charged_micros: 0,
        key: caller.split('_')[1],
        at: '2026-11-05T12:00:00.000Z',
        request_id: 'my-request',
      },
    );
    assert.deepEqual((await json<CallRecord>('GET', `/v1/executions/${id}`)).body, record);
  });

  test('R1.26 the record of a failure holds type, message and stack; the caller is not shown the stack', async () => {
    const { json, invoke } = await assayWith({ fails: async () => Promise.reject(new RangeError('too far')) });

    const { body: outcome } = await invoke('fails', {});

    const { body } = await json<Page>('GET', '/v1/executions?status=failed');
    const error = body.executions[0]?.error;
    assert.deepEqual([error?.type, error?.message], ['RangeError', 'too far']);
    assert.match(error?.stack ?? '', /RangeError: too far\n\s+at /);
    assert.deepEqual(outcome.error, { type: 'RangeError', message: 'too far' });
  });

  test('R1.25 a record has the duration, CPU and memory of its own call: a sleeper beside a busy call shows almost none', async () => {
    const kept: unknown[] = [];
    const burn = async () => {
      for (let round = 0; round < 4; round++) {
        burnCpu(40);
        kept.push(Buffer.alloc(4_000_000, round));
        await sleep(2);
      }
    };
    const { json, invoke } = await assayWith({ burn, sleep: () => sleep(150, 'slept') });

    await Promise.all([invoke('sleep', {}), invoke('burn', {}), invoke('sleep', {}), invoke('burn', {})]);

    const { body } = await json<Page>('GET', '/v1/executions');
    const of = (tool: string) => body.executions.filter((record) => record.tool === tool);
    const least = Math.min(...of('burn').map(({ cpu_ms }) => cpu_ms));
    for (const burner of of('burn')) {
      assert.ok(burner.cpu_ms > 140, `a burner used ${burner.cpu_ms} ms`);
      assert.ok(burner.memory_peak_bytes > 3_900_000, `a burner held ${burner.memory_peak_bytes} bytes`);
      assert.ok(burner.duration_ms >= burner.cpu_ms);
    }
    for (const sleeper of of('sleep')) {
      assert.ok(sleeper.duration_ms >= 140, `a sleeper took ${sleeper.duration_ms} ms`);
      assert.ok(sleeper.cpu_ms < least / 2, `a sleeper used ${sleeper.cpu_ms} ms, a burner ${least} ms`);
      assert.ok(sleeper.memory_peak_bytes < 2_000_000, `a sleeper held ${sleeper.memory_peak_bytes} bytes`);
    }
    assert.equal(of('sleep').length + of('burn').length, 4);
  });

  test('R1.25 a record’s CPU time excludes waiting for a busy machine, even where the call runs alone', async () => {
    const still = new Int32Array(new SharedArrayBuffer(4));
    // As for the scheduler of a busy machine, the thread stands in the middle of a turn.
    const { json, invoke } = await assayWith({ stands: async () => Atomics.wait(still, 0, 0, 400) });

    await invoke('stands', {});

    const [record] = (await json<Page>('GET', '/v1/executions')).body.executions;
    assert.ok(record && record.duration_ms >= 400, `it took ${record?.duration_ms} ms`);
    assert.ok(record.cpu_ms < record.duration_ms / 2, `it used ${record.cpu_ms} ms of ${record.duration_ms}`);
  });

  test('a record contains no secrets, whether the call ran, failed or was refused', async () => {
    const parameters = {
      type: 'object',
      properties: {
        user: { type: 'string' },
        password: { type: 'string', writeOnly: true },
        options: { type: 'array', items: { $ref: '#/$defs/option' } },
      },
      required: ['user'],
      additionalProperties: false,
      $defs: { option: { type: 'object', properties: { token: { type: 'string', 'x-sensitive': true } } } },
    };
    const output_schema = { type: 'object', properties: { session: { type: 'string', 'x-sensitive': true } } };
    const definition = { parameters, output_schema };
    const { json, invoke } = await assayWith({ login: async () => ({ session: 's3cret' }) }, { definition });

    await invoke('login', { user: 'ada', password: 's3cret', options: [{ token: 's3cret', x: 1 }] });
    await invoke('login', { user: 'ada', pasword: 's3cret' });

    const { body } = await json<Page>('GET', '/v1/executions');
    assert.equal(JSON.stringify(body).includes('s3cret'), false);
    assert.deepEqual(
      body.executions.map((record) => record.arguments),
      ['[redacted]', { user: 'ada', password: '[redacted]', options: [{ token: '[redacted]', x: 1 }] }],
    );
    assert.deepEqual(body.executions[1]?.output, { session: '[redacted]' });
  });

  test('a record truncates long values and keeps their hashes', async () => {
    const text = 'x'.repeat(10_000);
    const { json, invoke } = await assayWith({ echo: async (args) => args });

    await invoke('echo', { text, n: 1 });

    const [record] = (await json<Page>('GET', '/v1/executions')).body.executions;
    const expected = { n: 1, text: { cut: 'x'.repeat(128), characters: 10_000, sha256: sha256(text) } };
    assert.deepEqual([record?.arguments, record?.output], [expected, expected]);
  });

  test('a record is kept for forty days and listed for thirty', async () => {
    const clock = standingClock();
    const table = memoryTable({ now: clock.now });
    const { json, invoke } = await assayWith({ echo: async (args) => args }, { clock, table });
    const { body } = await invoke('echo', {});
    const shown = async () => (await json<Page>('GET', '/v1/executions')).body.executions.length;

    await json('GET', '/v1/executions');
    const item = await table.get(callKey('default', body.call_id));
    assert.equal(item?.expires, clock.now() / 1000 + 40 * 86_400);
    clock.move(29 * 86_400_000);
    assert.equal(await shown(), 1);
    clock.move(2 * 86_400_000);
    assert.equal(await shown(), 0);
  });
});

describe('lists of executions', () => {
  /** Forty calls of two tools over three hours, every fifth of which fails. */
  const busy = async () => {
    const clock = standingClock();
    const run = async ({ n }: { readonly n?: unknown }) => (Number(n) % 5 === 4 ? Promise.reject(new Error('no')) : n);
    const made = await assayWith({ one: run, two: run }, { clock });
    for (let n = 0; n < 40; n++) {
      await made.invoke(n % 2 === 0 ? 'one' : 'two', { n });
      clock.move(270_000);
    }
    const list = async (query: string) => (await made.json<Page>('GET', `/v1/executions?${query}`)).body;
    return { ...made, clock, list };
  };
  const numbers = ({ executions }: Page) => executions.map((record) => (record.arguments as { n: number }).n);

  test('executions are listed newest first, in pages without losses or repeats', async () => {
    const { list } = await busy();
    const seen: number[] = [];
    let cursor = '';
    do {
      const page: Page = await list(`limit=7${cursor}`);
      assert.ok(page.executions.length <= 7);
      seen.push(...numbers(page));
      cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');

    assert.deepEqual(
      seen,
      Array.from({ length: 40 }, (_, n) => 39 - n),
    );
  });

  test('executions of a busy hour are listed in order though its shards hold different parts of it', async () => {
    const clock = standingClock();
    const table = memoryTable({ now: clock.now });
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: [] });
    const { json, invoke } = await assayWith({ one: async () => 1 }, { clock, table });
    await invoke('one', {});
    const { body: before } = await json<Page>('GET', '/v1/executions');
    const [record] = before.executions;
    assert.ok(record);
    // The last character of an id decides its shard.
    const id = (n: number) => `${ulidTime(clock.now() + n)}${'0'.repeat(15)}${n > 150 ? 0 : 1}`;
    for (let n = 1; n <= 300; n++)
      recorder.keep(
        'default',
        { ...record, call_id: id(n), tool: n % 7 === 0 ? 'rare' : 'one', arguments: { n } },
        false,
      );
    await recorder.flush();
    clock.move(1000);

    const { body } = await json<Page>('GET', '/v1/executions?tool=rare&limit=100');

    assert.deepEqual(
      numbers(body),
      Array.from({ length: 42 }, (_, n) => (42 - n) * 7),
    );
  });

  test('executions are filtered by tool, status, key and time', async () => {
    const { list } = await busy();

    assert.deepEqual(numbers(await list('tool=two&status=failed')), [39, 29, 19, 9]);
    assert.deepEqual(numbers(await list('key=nobody')), []);
    assert.deepEqual(numbers(await list(`tool=${'n'.repeat(128)}`)), []);
    const hour = 'since=2026-11-05T13:00:00Z&until=2026-11-05T14:00:00Z';
    assert.deepEqual(
      numbers(await list(hour)),
      Array.from({ length: 13 }, (_, n) => 26 - n),
    );
  });

  test('an invalid filter or cursor of executions is refused', async () => {
    const { json, list } = await busy();
    const { next_cursor: cursor } = await list('limit=3&tool=one');
    const status = async (query: string) => (await json('GET', `/v1/executions?${query}`)).status;

    assert.equal(await status('status=perhaps'), 400);
    assert.equal(await status('since=yesterday'), 400);
    assert.equal(await status(`limit=3&tool=two&cursor=${cursor}`), 400);
    assert.equal(await status('limit=0'), 400);
    assert.equal((await json('GET', '/v1/executions/nothing')).status, 404);
  });

  test('executions show a confined key only its own tools, and another tenant nothing', async () => {
    const { json, key } = await busy();
    const confined = await key({ scopes: ['read'], tools: ['one'] });
    const stranger = await key({ scopes: ['read'], tenant: 'acme' });
    const tools = async (by: string) =>
      (await json<Page>('GET', '/v1/executions', undefined, by)).body.executions.map(({ tool }) => tool);

    assert.deepEqual([...new Set(await tools(confined))], ['one']);
    assert.deepEqual(await tools(stranger), []);
  });
});

describe('redaction', () => {
  test('redaction removes every marked value wherever the schema puts it, and nothing else', () => {
    const secret = { 'x-sensitive': true };
    const cases: readonly (readonly [object, unknown, unknown])[] = [
      [{ properties: { a: secret } }, { a: { deep: 1 }, b: 2 }, { a: '[redacted]', b: 2 }],
      [{ items: secret }, [1, 2], ['[redacted]', '[redacted]']],
      [{ prefixItems: [{}, secret] }, [1, 2, 3], [1, '[redacted]', 3]],
      [
        { additionalProperties: secret, properties: { a: {} } },
        { a: 1, b: 2 },
        { a: '[redacted]', b: '[redacted]' },
      ],
      [{ patternProperties: { '^key_': secret } }, { key_a: 1, other: 2 }, { key_a: '[redacted]', other: 2 }],
      [{ oneOf: [{ properties: { a: secret } }, {}] }, { a: 1 }, { a: '[redacted]' }],
      [{ allOf: [{ $ref: '#/$defs/x' }], $defs: { x: { properties: { a: secret } } } }, { a: 1 }, { a: '[redacted]' }],
    ];
    for (const [schema, value, expected] of cases) assert.deepEqual(redactorFor({ ...schema })?.(value), expected);
    assert.equal(redactorFor({ properties: { a: {} } }), undefined);
  });

  test('redaction ends on a schema that refers to itself', () => {
    const schema = {
      properties: { next: { $ref: '#' }, secret: { writeOnly: true } },
      allOf: [{ $ref: '#' }],
    };

    const redacted = redactorFor(schema)?.({ secret: 1, next: { secret: 2, next: { secret: 3 } } });

    assert.equal(JSON.stringify(redacted).includes('[redacted]'), true);
    assert.equal(/[123]/.test(JSON.stringify(redacted)), false);
  });
});

test('truncating shortens a long value, and leaves a short one unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const cut = cutValue(value);
      assert.ok(JSON.stringify(cut).length <= 2048);
      if (JSON.stringify(value).length <= 256) assert.equal(digestOf(cut), digestOf(value));
    }),
  );
});
