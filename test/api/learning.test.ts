import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

interface Decided {
  readonly tool: string | null;
  readonly decision_id: string;
  readonly reason: string;
}
interface Listed {
  readonly examples: readonly { readonly tool: string; readonly id: string; readonly request: string }[];
}

const TASK = 'look up synonyms of a word';

const registry = async (ports = {}): Promise<TestAssay> => {
  const given = await testAssay(ports);
  const parameters = { type: 'object', properties: {} };
  const add = (name: string, description: string, more = {}) =>
    given.json('POST', '/v1/tools', aTool({ name, description, parameters, ...more }));
  for (const name of ['qaa_thesaurus', 'qab_thesaurus']) await add(name, 'Look up synonyms of a word');
  await add('get_weather', 'Get the weather of a city');
  await add('send_email', 'Send an email');
  await add('risky_thesaurus', 'Lists antonyms', { permission: 'confirm' });
  return given;
};

const keyOf = async (given: TestAssay): Promise<string> =>
  (await given.json<{ key: string }>('POST', '/v1/keys', { scopes: ['read', 'invoke'] })).body.key;
const decide = async (given: TestAssay, key: string, allowed = ['qab_thesaurus']): Promise<Decided> =>
  (await given.json<Decided>('POST', '/v1/decide', { task: TASK, allowed }, key)).body;
const examples = async (given: TestAssay): Promise<Listed['examples']> =>
  (await given.json<Listed>('GET', '/v1/examples')).body.examples;
const invoke = (given: TestAssay, key: string, decision: string, tool = 'qab_thesaurus') =>
  given.json<{ status: string }>('POST', `/v1/tools/${tool}/invoke`, { arguments: {}, decision_id: decision }, key);

describe('learning from use', () => {
  let given: TestAssay;
  let [one, two] = ['', ''];
  before(async () => {
    given = await registry();
    [one, two] = [await keyOf(given), await keyOf(given)];
  });

  test('X.12 success under one key stores no example; success under two keys stores one that changes the next decision', async () => {
    for (let time = 0; time < 2; time++) {
      const { decision_id: id } = await decide(given, one);
      assert.equal((await invoke(given, one, id)).body.status, 'ok');
    }
    assert.deepEqual(await examples(given), []);
    const both = ['qaa_thesaurus', 'qab_thesaurus'];
    assert.doesNotMatch((await decide(given, one, both)).reason, /like the example/);

    const { decision_id: id } = await decide(given, two);
    await invoke(given, two, id);
    assert.deepEqual(
      (await examples(given)).map(({ tool, request }) => [tool, request]),
      [['qab_thesaurus', TASK]],
    );
    const warm = await decide(given, one, both);
    assert.equal(warm.tool, 'qab_thesaurus');
    assert.match(warm.reason, /like the example "look up synonyms of a word" \(100 %, [0-9a-f]{16}, memory 1\)/);
  });

  test('X.12 deleting an example by its tool and id restores the earlier decision', async () => {
    const [example] = await examples(given);
    assert.equal((await given.request('DELETE', `/v1/examples/qab_thesaurus?id=${example?.id}`)).status, 204);
    assert.deepEqual(await examples(given), []);
    assert.doesNotMatch((await decide(given, one)).reason, /like the example/);
  });

  test('a good rating stores an example, a bad one does not', async () => {
    const { decision_id: id } = await decide(given, one);
    const rate = (rating: number) =>
      given.json('POST', '/v1/feedback', { tool: 'qab_thesaurus', rating, decision_id: id }, one);
    await rate(2);
    assert.deepEqual(await examples(given), []);
    await rate(5);
    assert.equal((await examples(given)).length, 1);
    assert.equal((await given.request('DELETE', '/v1/examples/qab_thesaurus')).status, 204);
  });

  test('a decision id of another key, of another tool or of none stores no example', async () => {
    const { decision_id: id } = await decide(given, one);
    const rate = (body: object, key: string) => given.json('POST', '/v1/feedback', { rating: 5, ...body }, key);
    assert.equal((await rate({ tool: 'qab_thesaurus', decision_id: id }, two)).status, 404);
    assert.equal((await rate({ tool: 'qaa_thesaurus', decision_id: id }, one)).status, 201);
    assert.equal((await rate({ tool: 'qab_thesaurus', decision_id: 'x' }, one)).status, 404);
    assert.equal((await invoke(given, two, id)).body.status, 'ok');
    assert.deepEqual(await examples(given), []);
  });

  test('a tool that needs consent gets no learnt examples', async () => {
    const task = 'antonyms by risky_thesaurus';
    const { body } = await given.json<Decided>('POST', '/v1/decide', { task, allowed: ['risky_thesaurus'] }, one);
    assert.equal(body.tool, 'risky_thesaurus');
    await given.json(
      'POST',
      '/v1/feedback',
      { tool: 'risky_thesaurus', rating: 5, decision_id: body.decision_id },
      one,
    );
    assert.deepEqual(await examples(given), []);
  });

  test('a definition may have examples as requests, with or without arguments, and an empty one is refused', async () => {
    const add = (examples: unknown) =>
      given.json('POST', '/v1/tools', aTool({ name: 'rhymes', description: 'Finds rhymes', examples }));
    assert.equal((await add(['what rhymes with cat', { request: 'rhymes of moon', arguments: {} }])).status, 201);
    assert.equal((await add([''])).status, 400);
  });

  test('with learning switched off no example is stored, and a decision id is still accepted', async () => {
    const quiet = await registry({ learns: false });
    const key = await keyOf(quiet);
    const { decision_id: id } = await decide(quiet, key);
    const rated = await quiet.json('POST', '/v1/feedback', { tool: 'qab_thesaurus', rating: 5, decision_id: id }, key);
    assert.equal(rated.status, 201);
    assert.deepEqual(await examples(quiet), []);
  });
});
