import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { Actor } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { aTool } from '../support/tools.ts';

const levels = ['safe', 'confirm', 'dangerous'] as const;

/** A registry with one tool a level, two agents, and a person who may approve. */
const setting = async (clock = standingClock(), table = memoryTable({ now: clock.now })) => {
  const runs: string[] = [];
  const handlers = levels.map((permission): [string, Handler] => [
    permission,
    { permission, run: async (args) => void runs.push(`${permission} ${JSON.stringify(args)}`) },
  ]);
  const made = await testAssay({
    clock,
    table,
    handlers: { builtin: new Map(handlers), internal: new Map() },
  });
  const define = (name: string, fields: object = {}) =>
    made.json(
      'POST',
      '/v1/tools',
      aTool({ name, handler: name, implementation: { type: 'builtin', handler: name }, ...fields }),
    );
  for (const level of levels) await define(level, { version: '1.0.0' });
  const agent = await made.key({ scopes: ['invoke'] });
  const other = await made.key({ scopes: ['invoke'] });
  const person = await made.key({ scopes: ['approve', 'invoke'] });
  const keyId = (text: string) => text.split('_')[1] ?? '';
  const invoke = async (tool: string, key: string, body: object = {}) =>
    made.json<Answer>('POST', `/v1/tools/${tool}/invoke`, { arguments: { city: 'Bern' }, ...body }, key);
  const ask = async (key: string, body: object = {}) =>
    (await invoke('confirm', key, body)).body.error.details.confirmation.token;
  const decide = (token: string, approve: boolean, key = person) =>
    made.json<{ state: string; error: Answer['error'] }>('POST', '/v1/confirmations', { token, approve }, key);
  const audit = async () => {
    const { body } = await made.json<{ entries: { action: string; by: string }[] }>('GET', '/v1/audit');
    // Registering tools is audited too, and tested elsewhere.
    return body.entries
      .map(({ action }) => action)
      .filter((action) => action !== 'tool-registered')
      .reverse();
  };
  return { ...made, clock, runs, define, agent, other, person, keyId, invoke, ask, decide, audit };
};

interface Answer {
  readonly status: string;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: { readonly confirmation: { readonly token: string; readonly expires_at: string } };
  };
}

describe('permissions', () => {
  test('R1.20 a definition may raise its permission, never lower it', async () => {
    const { invoke, define, agent } = await setting();
    await define('safe', { version: '2.0.0', permission: 'dangerous' });
    await define('dangerous', { version: '2.0.0', permission: 'safe' });

    assert.equal((await invoke('safe', agent)).status, 403);
    assert.equal((await invoke('dangerous', agent)).status, 403);
    assert.equal((await invoke('safe', agent, { version: '1.0.0' })).status, 200);
  });

  test('R1.21 a safe tool runs without consent', async () => {
    const { invoke, agent, runs } = await setting();

    const { status, body } = await invoke('safe', agent);

    assert.deepEqual([status, body.status, runs], [200, 'ok', ['safe {"city":"Bern"}']]);
  });

  test('R1.22 a confirm tool asks, and runs once after a person approved', async () => {
    const { invoke, ask, decide, agent, runs, audit } = await setting();
    const first = await invoke('confirm', agent);
    const token = await ask(agent);

    const early = await invoke('confirm', agent, { confirmation: token });
    const decided = await decide(token, true);
    const run = await invoke('confirm', agent, { confirmation: token });
    const again = await invoke('confirm', agent, { confirmation: token });

    assert.equal(first.status, 409);
    assert.equal(first.body.error.code, 'ConfirmationRequired');
    assert.equal(first.body.error.details.confirmation.expires_at, '2026-11-05T12:10:00.000Z');
    assert.equal(early.body.error.code, 'ConfirmationRequired');
    assert.equal(early.body.error.details.confirmation.token, token, 'the same question still stands');
    assert.equal(decided.body.state, 'approved');
    assert.equal(run.status, 200);
    assert.equal(again.status, 403);
    assert.deepEqual(runs, ['confirm {"city":"Bern"}']);
    assert.deepEqual(await audit(), [
      'confirmation-rejected',
      'confirmation-approved',
      'confirmation-used',
      'confirmation-rejected',
    ]);
  });

  test('R1.22 a person who may approve can send the token with the call', async () => {
    const { invoke, ask, person, runs } = await setting();
    const token = await ask(person);

    assert.equal((await invoke('confirm', person, { confirmation: token })).status, 200);
    assert.equal(runs.length, 1);
  });

  test('R4.09c an agent cannot approve its own call, nor use another’s token', async () => {
    const { invoke, ask, decide, agent, other, person, runs } = await setting();
    const token = await ask(agent);

    assert.equal((await decide(token, true, agent)).status, 403);
    assert.equal((await invoke('confirm', agent, { confirmation: token })).status, 409);
    await decide(token, true);
    assert.equal((await invoke('confirm', other, { confirmation: token })).status, 403);
    assert.equal((await invoke('confirm', person, { confirmation: token })).status, 403);
    assert.deepEqual(runs, []);
  });

  test('a confirmation holds for its arguments, tool and definition, and for ten minutes', async () => {
    const { invoke, ask, decide, define, agent, clock, runs } = await setting();
    const approved = async (city: string) => {
      const token = await ask(agent, { arguments: { city } });
      await decide(token, true);
      return token;
    };
    const refused = async (confirmation: string, city: string, tool = 'confirm') => {
      const answer = await invoke(tool, agent, { confirmation, arguments: { city } });
      assert.equal(answer.status, 403, JSON.stringify(answer.body));
      return answer.body.error.message;
    };
    await define('safe', { version: '2.0.0', permission: 'confirm' });

    assert.match(await refused(await approved('Bern'), 'Basel'), /other arguments/);
    assert.match(await refused(await approved('Chur'), 'Chur', 'safe'), /is for confirm/);
    const token = await approved('Genf');
    assert.match(
      await refused(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, 'Genf'),
      /unknown, altered or expired/,
    );
    await define('confirm', { version: '2.0.0', description: 'Another one' });
    assert.match(await refused(token, 'Genf'), /another definition/);
    const late = await approved('Zug');
    clock.move(10 * 60_000);
    assert.match(await refused(late, 'Zug'), /expired/);
    assert.deepEqual(runs, []);
  });

  test('a confirmation expires on time even where the store deletes it late', async () => {
    const clock = standingClock(Date.now());
    const { invoke, ask, decide, agent, runs } = await setting(clock, memoryTable());
    const [late, undecided] = [await ask(agent), await ask(agent, { arguments: { city: 'Zug' } })];
    await decide(late, true);
    clock.move(10 * 60_000);

    assert.match((await invoke('confirm', agent, { confirmation: late })).body.error.message, /expired at/);
    assert.equal((await decide(undecided, true)).status, 404);
    assert.deepEqual(runs, []);
  });

  test('arguments in another order, or with a default left out, need no new confirmation', async () => {
    const { invoke, decide, define, agent, runs } = await setting();
    const properties = { a: { type: 'integer' }, b: { type: 'integer', default: 2 } };
    await define('confirm', { version: '3.0.0', parameters: { type: 'object', properties } });
    const asked = await invoke('confirm', agent, { arguments: { a: 1, b: 2 } });
    const confirmation = asked.body.error.details.confirmation.token;
    await decide(confirmation, true);

    assert.equal((await invoke('confirm', agent, { arguments: { a: 1 }, confirmation })).status, 200);
    assert.deepEqual(runs, ['confirm {"a":1,"b":2}']);
  });

  test('a denial is final, and a confirmation is decided once', async () => {
    const { invoke, ask, decide, agent, runs } = await setting();
    const token = await ask(agent);

    assert.equal((await decide(token, false)).body.state, 'refused');
    assert.equal((await decide(token, true)).status, 409);
    assert.equal((await invoke('confirm', agent, { confirmation: token })).status, 403);
    assert.equal((await decide('nonsense', true)).status, 404);
    assert.deepEqual(runs, []);
  });

  test('a token used by several calls at once runs one of them', async () => {
    const { invoke, ask, decide, agent, runs } = await setting();
    const token = await ask(agent);
    await decide(token, true);

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => invoke('confirm', agent, { confirmation: token })),
    );

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(runs.length, 1);
  });

  test('waiting confirmations are listed for those who may approve, and decided by id', async () => {
    const { json, ask, agent, person, invoke, runs } = await setting();
    const token = await ask(agent);

    assert.equal((await json('GET', '/v1/confirmations', undefined, agent)).status, 403);
    const { body } = await json<{ confirmations: { id: string; state: string; arguments: object; key: string }[] }>(
      'GET',
      '/v1/confirmations',
      undefined,
      person,
    );
    const [waiting] = body.confirmations;
    assert.deepEqual([waiting?.state, waiting?.arguments], ['pending', { city: 'Bern' }]);
    assert.equal(JSON.stringify(body).includes(token), false, 'the token itself is never shown again');
    assert.equal((await json('POST', '/v1/confirmations', { id: waiting?.id, approve: true }, person)).status, 200);
    assert.equal((await invoke('confirm', agent, { confirmation: token })).status, 200);
    assert.equal(runs.length, 1);
  });

  test('R1.23 a dangerous tool is refused unless an admin has granted it to the key', async () => {
    const { invoke, json, agent, other, keyId, runs, audit, clock } = await setting();
    const path = `/v1/grants/${keyId(agent)}/dangerous`;
    const grant = { expires_at: '2026-11-05T13:00:00Z' };

    assert.equal((await invoke('dangerous', agent)).body.error.code, 'Forbidden');
    assert.equal((await json('PUT', path, grant, agent)).status, 403, 'a key cannot grant itself');
    assert.equal((await json('PUT', path, grant)).status, 200);
    assert.equal((await invoke('dangerous', agent)).status, 200);
    assert.equal((await invoke('dangerous', other)).status, 403, 'a grant is for one key');
    clock.move(3_600_000);
    assert.equal((await invoke('dangerous', agent)).status, 403, 'a grant ends');
    assert.deepEqual(runs, ['dangerous {"city":"Bern"}']);
    assert.deepEqual(await audit(), ['grant-missing', 'grant-made', 'grant-missing', 'grant-missing']);
  });

  test('a grant needs an expiry, a key and a tool that exist; it can be revoked, and ends when the definition changes', async () => {
    const { invoke, json, define, agent, keyId } = await setting();
    const id = keyId(agent);
    const put = (path: string, body: object) => json('PUT', `/v1/grants/${path}`, body);
    const until = { expires_at: '2026-12-01T00:00:00Z' };

    assert.equal((await put(`${id}/dangerous`, {})).status, 400);
    assert.equal((await put(`${id}/dangerous`, { expires_at: '2026-11-05T11:59:59Z' })).status, 400);
    assert.equal((await put(`${id}/dangerous`, { expires_at: '2036-01-01T00:00:00Z' })).status, 400);
    assert.equal((await put(`${id}/nothing`, until)).status, 404);
    assert.equal((await put('nobody/dangerous', until)).status, 404);
    assert.equal((await put(`${id}/dangerous`, { ...until, version: '7.0.0' })).status, 404);
    assert.equal((await put(`${id}/dangerous`, until)).status, 200);
    assert.equal((await invoke('dangerous', agent)).status, 200);
    assert.equal((await json('DELETE', `/v1/grants/${id}/dangerous`)).status, 204);
    assert.equal((await invoke('dangerous', agent)).status, 403);
    await put(`${id}/dangerous`, until);
    await define('dangerous', { version: '2.0.0', description: 'Another one' });
    assert.equal((await invoke('dangerous', agent)).status, 403);
  });

  test('R1.22 consent given elsewhere, as in a plan, is audited with the key that gave it', async () => {
    const { assay, json, runs } = await setting();
    const actor: Actor = { keyId: 'agent', tenant: 'default', scopes: new Set(['invoke']) };
    const invocation = { name: 'confirm', arguments: { city: 'Bern' } };

    await executeTool(assay, actor, invocation, undefined, { approvedBy: 'person' });

    const { body } = await json<{ entries: { about: { approved_by: string } }[] }>('GET', '/v1/audit');
    assert.equal(body.entries[0]?.about.approved_by, 'person');
    assert.equal(runs.length, 1);
    assert.equal(
      (await json('POST', '/v1/tools/confirm/invoke', { arguments: { city: 'x' }, approvedBy: 'me' })).status,
      400,
    );
  });
});
