import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { decideConfirmation } from '../../shared/execute/confirmations.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Actor } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { aTool } from '../support/tools.ts';

interface Refused {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: { readonly confirmation: { readonly id: string; readonly token: string } };
  };
}

interface Listed {
  readonly confirmations: readonly {
    readonly id: string;
    readonly state: string;
    readonly arguments: unknown;
    readonly hidden?: { readonly cut: number; readonly redacted: number; readonly bytes: number };
  }[];
}

const setting = async () => {
  const clock = standingClock();
  const runs: unknown[] = [];
  const handler = { permission: 'confirm' as const, run: async (args: object) => void runs.push(args) };
  const table = memoryTable({ now: clock.now });
  const made = await testAssay({
    clock,
    table,
    handlers: { builtin: new Map([['mail', handler]]), internal: new Map() },
  });
  const properties = {
    to: { type: 'string' },
    text: { type: 'string' },
    password: { type: 'string', writeOnly: true },
  };
  const define = (fields: object = {}) =>
    made.json(
      'POST',
      '/v1/tools',
      aTool({
        name: 'mail',
        parameters: { type: 'object', properties },
        implementation: { type: 'builtin', handler: 'mail' },
        ...fields,
      }),
    );
  await define({ version: '1.0.0' });
  const [agent, other, person] = await Promise.all([
    made.key({ scopes: ['invoke'] }),
    made.key({ scopes: ['invoke'] }),
    made.key({ scopes: ['approve', 'invoke'] }),
  ]);
  const call = (key = agent, args: object = { to: 'Ann' }) =>
    made.json<Refused>('POST', '/v1/tools/mail/invoke', { arguments: args }, key);
  const idOf = ({ body }: { readonly body: Refused }) => body.error.details.confirmation.id;
  const decide = (id: string, approve = true) => made.json('POST', '/v1/confirmations', { id, approve }, person);
  const list = async () => (await made.json<Listed>('GET', '/v1/confirmations', undefined, person)).body.confirmations;
  return { ...made, clock, runs, define, agent, other, person, call, idOf, decide, list };
};

describe('consent', () => {
  test('R1.22 X.20 after approval the same call succeeds once, without a token', async () => {
    const { call, idOf, decide, runs } = await setting();
    await decide(idOf(await call()));

    const passed = await call();
    const again = await call();

    assert.equal(passed.status, 200);
    assert.equal(again.body.error.code, 'ConfirmationRequired');
    assert.deepEqual(runs, [{ to: 'Ann' }]);
  });

  test('a call that needs consent is refused with the confirmation id and told to repeat the call', async () => {
    const { call, idOf } = await setting();
    const refused = await call();

    assert.ok(refused.body.error.message.includes(idOf(refused)));
    assert.match(refused.body.error.message, /make the same call again/);
  });

  test('an approval holds for one key, one definition and the same arguments, for ten minutes', async () => {
    const { call, idOf, decide, define, clock, other, agent, runs } = await setting();
    await decide(idOf(await call()));

    assert.equal((await call(other)).status, 409);
    assert.equal((await call(agent, { to: 'Bob' })).status, 409);
    clock.move(10 * 60_000);
    assert.equal((await call()).status, 409);
    await decide(idOf(await call()));
    await define({ version: '2.0.0', description: 'Another one' });
    assert.equal((await call()).status, 409);
    assert.deepEqual(runs, []);
  });

  test('a repeated call gets the same question, and repeating it is not consent', async () => {
    const { call, idOf, list, person, runs } = await setting();
    const asked = await call(person);

    const repeated = await Promise.all([call(person), call(person), call(person)]);

    assert.deepEqual(new Set(repeated.map(idOf)), new Set([idOf(asked)]));
    assert.equal((await list()).length, 1);
    assert.deepEqual(runs, []);
  });

  test('concurrent identical calls ask one question', async () => {
    const { call, idOf, list } = await setting();

    const asked = await Promise.all(Array.from({ length: 6 }, () => call()));

    assert.equal(new Set(asked.map(idOf)).size, 1);
    assert.equal((await list()).length, 1);
  });

  test('X.20 of several identical calls one uses the approval', async () => {
    const { call, idOf, decide, runs } = await setting();
    await decide(idOf(await call()));

    const answers = await Promise.all(Array.from({ length: 8 }, () => call()));

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(runs.length, 1);
  });

  test('a denied question does not let the call through, and may be asked again', async () => {
    const { call, idOf, decide, runs } = await setting();
    const first = await call();
    await decide(idOf(first), false);

    const second = await call();

    assert.equal(second.status, 409);
    assert.notEqual(idOf(second), idOf(first));
    assert.deepEqual(runs, []);
  });

  test('the OAuth client that asked may withdraw its question, and its key or another client may not', async () => {
    const { assay } = await setting();
    const scopes = new Set(['invoke'] as const);
    const client: Actor = { keyId: 'k1', tenant: 'default', scopes, principal: 'oauth_a' };
    const asked = await executeTool(assay, client, { name: 'mail', arguments: { to: 'Ann' } }).catch(
      (thrown) => thrown,
    );
    const { id } = asked.details.confirmation;

    for (const principal of [undefined, 'oauth_b'])
      await assert.rejects(decideConfirmation(assay, { ...client, principal }, { id }, false), { code: 'Forbidden' });
    const { state } = await decideConfirmation(assay, client, { id }, false);

    assert.equal(state, 'refused');
  });

  test('a key has at most fifty open questions, and other keys can still ask', async () => {
    const { call, agent, other, clock } = await setting();
    for (let at = 0; at < 50; at++) assert.equal((await call(agent, { to: `${at}` })).status, 409);

    const refused = await call(agent, { to: 'one more' });

    assert.equal(refused.status, 429);
    assert.match(refused.body.error.message, /50 calls of this key wait/);
    assert.equal((await call(agent, { to: '7' })).status, 409, 'a question that is open already is not new');
    assert.equal((await call(other)).status, 409);
    clock.move(10 * 60_000);
    assert.equal((await call(agent, { to: 'one more' })).status, 409);
  });

  test('values that the list shortens or redacts are counted, and shown to those who may approve', async () => {
    const { call, json, agent, person, list } = await setting();
    const args = { to: 'Ann', text: 'ä🙂'.repeat(400_000), password: 'hush' };
    await call(agent, args);

    const [listed] = await list();
    const path = `/v1/confirmations/${listed?.id}`;
    const { body } = await json<{ arguments: unknown; hidden?: unknown }>('GET', path, undefined, person);

    assert.deepEqual([listed?.hidden?.cut, listed?.hidden?.redacted], [1, 1]);
    assert.equal(JSON.stringify(listed).includes('hush'), false);
    assert.deepEqual(body.arguments, args);
    assert.equal(body.hidden, undefined);
    assert.equal((await json('GET', path, undefined, agent)).status, 403);
    const audit = await json<{ entries: { action: string }[] }>('GET', '/v1/audit');
    assert.ok(audit.body.entries.some(({ action }) => action === 'confirmation-revealed'));
  });

  test('an approval used by a call whose process died is not restored', async () => {
    const { assay, call, idOf, decide, runs, agent } = await setting();
    await decide(idOf(await call()));
    await call();
    const actor: Actor = { keyId: agent.split('_')[1] ?? '', tenant: 'default', scopes: new Set(['invoke'] as const) };
    const once = { id: assay.clock.newId(), earlier: 'cut off' as const };

    const repeated = await executeTool(assay, actor, { name: 'mail', arguments: { to: 'Ann' } }, undefined, { once });

    assert.equal(repeated.status, 'interrupted');
    await assert.rejects(
      executeTool(assay, actor, { name: 'mail', arguments: { to: 'Ann' } }),
      (thrown) => thrown instanceof Fault && thrown.code === 'ConfirmationRequired',
    );
    assert.equal(runs.length, 1);
  });
});
