import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { itemOfText } from '../../shared/adapters/table-rules.ts';
import type { Item } from '../../shared/kernel/ports.ts';
import type { KeyName, Manifest } from '../fixtures/manifest.ts';
import { standingClock } from '../support/clock.ts';
import { isReadable } from '../support/item-kinds.ts';
import { openData } from '../support/local-assay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

const fixture = fileURLToPath(new URL('../fixtures/data-0.1.0', import.meta.url));
const written: Manifest = JSON.parse(await readFile(join(fixture, 'manifest.json'), 'utf8'));

interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly error?: { readonly code: string; readonly message: string } };
}

/** A copy of the data directory in which somebody has altered some items. */
const openAltered = async (t: TestContext, alter: (row: Row) => string | undefined) => {
  const data = join(await temporaryDirectory(t), 'data');
  await cp(join(fixture, 'data'), data, { recursive: true });
  const database = new DatabaseSync(join(data, 'assay.db'));
  t.after(() => database.close());
  const rows = database.prepare('SELECT pk, sk, body FROM items').all() as unknown as readonly Row[];
  const altered = rows.flatMap(({ pk, sk, body }) => {
    const other = alter({ pk, sk, body });
    return other === undefined || other === body ? [] : [{ pk, sk, body: other }];
  });
  const update = database.prepare('UPDATE items SET body = ? WHERE pk = ? AND sk = ?');
  for (const { pk, sk, body } of altered) update.run(body, pk, sk);
  const app = await openData(t, { data, base: written.address, clock: standingClock(Date.parse(written.written_at)) });
  const ask = async (method: string, path: string, as: KeyName, body?: unknown, more = {}): Promise<Answer> => {
    const response = await app.request(written.address + path, {
      method,
      headers: {
        authorization: `Bearer ${written.keys[as].key}`,
        'content-type': 'application/json',
        accept: 'application/json',
        ...more,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse((await response.text()) || '{}') };
  };
  const get = database.prepare('SELECT body FROM items WHERE pk = ? AND sk = ?');
  const isUntouched = ({ pk, sk, body }: Row): boolean => get.get(pk, sk)?.body === body;
  return { ask, altered, isUntouched };
};

/** What every kind of request does with the stored items. */
const requests: readonly (readonly [string, string, KeyName, unknown?, object?])[] = [
  ...written.reads.map(({ path, key }) => ['GET', path, key] as const),
  ['GET', '/v1/tools', 'worker'],
  ['GET', '/v1/tools?q=weather', 'worker'],
  ['GET', '/v1/recommendations?task=weather', 'worker'],
  ['POST', '/v1/tools/weather/invoke', 'worker', { arguments: { city: 'Ulm' } }],
  ['POST', '/v1/tools/wipe/invoke', 'worker', { arguments: {} }],
  [
    'POST',
    '/v1/tools/mail/invoke',
    'worker',
    { ...written.confirmations.approved.body, confirmation: written.confirmations.approved.token },
  ],
  ['POST', '/v1/confirmations', 'approver', { id: written.confirmations.pending.id, approve: true }],
  ['POST', written.once.path, 'worker', written.once.body, { 'idempotency-key': written.once.idempotency_key }],
  ['POST', '/v1/feedback', 'worker', { tool: 'weather', rating: 2 }],
  ['PATCH', '/v1/tools/weather', 'admin', { enabled: true }],
  ['POST', `/v1/plans/${written.plans.safe}/runs`, 'worker', { input: { text: 'x' } }],
  ['POST', `/v1/runs/${written.runs.waiting}/nodes/write/confirm`, 'approver', { approve: true }],
  ['DELETE', `/v1/runs/${written.runs.waiting}`, 'admin'],
];

/** Ways to spoil the text of an item: cut off, written by a later release, a field of another type or gone. */
const spoilt = (body: string): fc.Arbitrary<string> => {
  const value: Readonly<Record<string, unknown>> = JSON.parse(body);
  const fields = Object.keys(value);
  return fc.oneof(
    fc.nat(body.length - 1).map((length) => body.slice(0, length)),
    fc.integer({ min: 2, max: 99 }).map((v) => JSON.stringify({ ...value, v })),
    fc
      .tuple(fc.constantFrom(...fields), fc.constantFrom(null, 7.5, 'x', true, [], {}, [null], { a: null }))
      .map(([field, other]) => JSON.stringify({ ...value, [field]: other })),
    fc.constantFrom(...fields).map((field) => JSON.stringify({ ...value, [field]: undefined })),
    fc.constantFrom('null', '[]', '5', '"x"', '{}', ''),
  );
};

const itemOf = ({ pk, sk, body }: Row): Item => itemOfText({ pk, sk }, 1, undefined, body);
const nameOf = ({ pk, sk }: Row): string => `${pk} ${sk}`;
const only =
  (pk: string, sk: string, change: (body: Readonly<Record<string, unknown>>) => unknown) =>
  (row: Row): string | undefined =>
    row.pk === pk && row.sk.startsWith(sk) ? JSON.stringify(change(JSON.parse(row.body))) : undefined;
const newer = (body: object): object => ({ ...body, v: 2 });

const readRows = async (): Promise<readonly Row[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-altered-'));
  await cp(join(fixture, 'data', 'assay.db'), join(folder, 'assay.db'));
  const database = new DatabaseSync(join(folder, 'assay.db'));
  const found = database.prepare('SELECT pk, sk, body FROM items').all() as unknown as readonly Row[];
  database.close();
  await rm(folder, { recursive: true });
  return found;
};
const rows = await readRows();

describe('a data directory with altered items', () => {
  test('every unaltered item has a kind that reads it', () => {
    assert.deepEqual(rows.filter((row) => !isReadable(itemOf(row))).map(nameOf), []);
  });

  test('an altered item is reported by name with what to do, nothing is overwritten, and no request fails unexpectedly', async (t) => {
    const cases = fc.constantFrom(...rows).chain((row) => spoilt(row.body).map((body): Row => ({ ...row, body })));
    await fc.assert(
      fc.asyncProperty(cases, async (row) => {
        await t.test(`${nameOf(row)} as ${row.body.slice(0, 60)}`, async (inner) => {
          const { ask, isUntouched } = await openAltered(inner, ({ pk, sk }) =>
            pk === row.pk && sk === row.sk ? row.body : undefined,
          );
          const isRefused = !isReadable(itemOf(row));
          for (const [method, path, as, body, more] of requests) {
            const { status, body: answer } = await ask(method, path, as, body, more);
            assert.notEqual(status, 500, `${method} ${path}`);
            const message = answer.error?.message ?? '';
            if (message.includes('cannot be read') || message.includes('newer release')) {
              assert.ok(isRefused, `${method} ${path}: ${message}`);
              assert.ok(message.includes(row.sk) || message.includes('Idempotency-Key'), message);
              assert.match(message, /; nothing was changed$|use a new one$/);
            }
          }
          if (isRefused) assert.ok(isUntouched(row), 'it was overwritten');
        });
      }),
      { numRuns: Number(process.env.ALTERED_RUNS ?? 12) },
    );
  });

  test('a tool written by a newer release is unavailable by name, and the others work', async (t) => {
    const { ask, altered, isUntouched } = await openAltered(t, only('T#default', 'TOOL#weather', newer));
    const listed = (await ask('GET', '/v1/tools?limit=1000', 'admin')).body as unknown as {
      readonly tools: readonly { readonly spec: { readonly name: string } }[];
    };
    const mock = aTool({ name: 'weather', version: '9.0.0' });

    for (const [method, path, body] of [
      ['GET', '/v1/tools/weather'],
      ['POST', '/v1/tools/weather/invoke', { arguments: { city: 'Ulm' } }],
      ['POST', '/v1/tools', mock],
      ['PATCH', '/v1/tools/weather', { enabled: false }],
      ['DELETE', '/v1/tools/weather?version=1.0.0'],
      ['GET', '/v1/snapshot'],
    ] as const) {
      const { status, body: answer } = await ask(method, path, 'admin', body);
      assert.equal(status, 503, `${method} ${path}`);
      assert.match(answer.error?.message ?? '', /tool family T#default TOOL#weather was written by a newer release/);
    }
    assert.equal((await ask('GET', '/v1/tools/weather', 'confined')).status, 503);
    assert.equal((await ask('GET', '/v1/tools/mail', 'worker')).status, 200);
    assert.ok(listed.tools.some(({ spec }) => spec.name === 'mail'));
    assert.ok(!listed.tools.some(({ spec }) => spec.name === 'weather'));
    assert.ok(altered.every(isUntouched));

    assert.equal((await ask('DELETE', '/v1/tools/weather', 'admin')).status, 204);
    assert.equal((await ask('POST', '/v1/tools', 'admin', mock)).status, 201);
  });

  test('an unreadable switch leaves a disabled shipped tool disabled', async (t) => {
    const { ask } = await openAltered(t, ({ sk, body }) => (sk === 'TOOL#base64' ? body.slice(0, 9) : undefined));

    assert.equal((await ask('GET', '/v1/tools/base64', 'worker')).status, 503);
    assert.equal((await ask('POST', '/v1/tools/base64/invoke', 'worker', { arguments: {} })).status, 503);
  });

  test('calls run and are recorded though their totals and the event counter cannot be read', async (t) => {
    const { ask, altered, isUntouched } = await openAltered(t, ({ pk, sk, body }) =>
      pk === 'T#default#STATS' || pk.startsWith('T#default#USAGE') || `${pk} ${sk}` === 'T#default#EVENTS COUNT'
        ? body.slice(0, -1)
        : undefined,
    );
    assert.ok(altered.length > 10);

    const called = await ask('POST', '/v1/tools/weather/invoke', 'worker', { arguments: { city: 'Ulm' } });
    assert.equal(called.status, 200);
    const { call_id } = called.body as unknown as { readonly call_id: string };
    assert.equal((await ask('GET', `/v1/executions/${call_id}`, 'admin')).status, 200);
    assert.equal((await ask('GET', '/v1/usage?month=2026-11', 'admin')).status, 503);
    assert.ok(altered.every(isUntouched));
  });

  test('an unreadable quota counter is settled from the ledger on request', async (t) => {
    const { ask } = await openAltered(t, ({ pk, sk }) =>
      pk === `KEY#${written.keys.worker.id}` && sk.startsWith('QUOTA#') ? '{"calls":"many"}' : undefined,
    );
    const call = () => ask('POST', '/v1/tools/weather/invoke', 'worker', { arguments: { city: 'Ulm' } });

    const refused = await call();
    assert.equal(refused.status, 503);
    assert.match(refused.body.error?.message ?? '', /quota counter .* settle the counters from the ledger/);
    assert.equal((await ask('POST', '/v1/usage/verification?month=2026-11', 'admin')).status, 200);
    assert.equal((await call()).status, 200);
  });

  test('a quota counter written by a newer release is not incremented', async (t) => {
    const { ask, altered, isUntouched } = await openAltered(
      t,
      only(`KEY#${written.keys.worker.id}`, 'QUOTA#', (body) => ({ ...body, v: 4 })),
    );
    const { status, body } = await ask('POST', '/v1/tools/weather/invoke', 'worker', { arguments: { city: 'Ulm' } });

    assert.equal(altered.length, 1);
    assert.ok(altered.every(isUntouched));
    assert.equal(status, 503);
    assert.match(body.error?.message ?? '', /quota counter .* was written by a newer release/);
  });

  test('an unreadable hour of calls stays as it is, and calls go on', async (t) => {
    const { ask, altered, isUntouched } = await openAltered(t, ({ pk, body }) =>
      pk === 'T#default#CALLS' ? body.replace('"v":1', '"v":2') : undefined,
    );
    const { status } = await ask('POST', '/v1/tools/weather/invoke', 'worker', { arguments: { city: 'Ulm' } });

    assert.equal(status, 200);
    assert.ok(altered.length > 0);
    assert.ok(altered.every(isUntouched));
  });

  test('an unreadable API key is refused, and its digest is not shown', async (t) => {
    const { ask } = await openAltered(
      t,
      only(`KEY#${written.keys.worker.id}`, 'KEY', (body) => ({ ...body, scopes: 'admin' })),
    );
    const { status, body } = await ask('GET', '/v1/tools/mail', 'worker');

    assert.equal(status, 503);
    assert.match(body.error?.message ?? '', /API key .* its field scopes .*; make a new key/);
    assert.doesNotMatch(JSON.stringify(body), /digest/);
    assert.equal((await ask('GET', '/v1/tools/mail', 'confined')).status, 404);
    const { keys } = (await ask('GET', '/v1/keys', 'admin')).body as unknown as { readonly keys: readonly unknown[] };
    assert.equal(keys.length, 7);
  });

  test('an unreadable Idempotency-Key answer asks for a new key', async (t) => {
    const { ask, altered, isUntouched } = await openAltered(t, ({ sk, body }) =>
      sk === 'ONCE' && body.includes('"done"') ? body.replace('"done"', '"over"') : undefined,
    );
    const { path, body, idempotency_key } = written.once;

    const { status, body: answer } = await ask('POST', path, 'worker', body, { 'idempotency-key': idempotency_key });

    assert.equal(status, 409);
    assert.match(answer.error?.message ?? '', /use a new one/);
    assert.equal(altered.length, 1);
    assert.ok(altered.every(isUntouched));
  });

  test('an unreadable run does not stop the others from continuing', async (t) => {
    const { waiting, task } = written.runs;
    const { ask, altered, isUntouched } = await openAltered(t, only(`T#default#RUN#${waiting}`, 'RUN', newer));
    const confirm = (run: string, node: string) =>
      ask('POST', `/v1/runs/${run}/nodes/${node}/confirm`, 'approver', { approve: true });

    assert.equal((await confirm(waiting, 'write')).status, 503);
    let status = 0;
    for (let tries = 0; tries < 400 && status !== 200; tries++) {
      ({ status } = await confirm(task, 'look'));
      await wait(20);
    }
    assert.equal(status, 200);
    assert.ok(altered.every(isUntouched));
  });
});
