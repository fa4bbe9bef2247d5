import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

interface Answer {
  readonly calls: { name: string; arguments: unknown; error?: unknown }[];
  readonly searches?: { id: string; name: string; search: { query: string } }[];
}

interface Loaded {
  readonly type: string;
  readonly name: string;
  readonly tools?: readonly Loaded[];
}

describe('provider-side tool search', () => {
  let given: TestAssay;
  const kinds = ['invoice', 'parcel', 'flight', 'recipe', 'tax'];
  before(async () => {
    given = await testAssay();
    for (const kind of kinds)
      for (const verb of ['create', 'cancel', 'track'])
        await given.json(
          'POST',
          '/v1/tools',
          aTool({ name: `${kind}.${verb}`, description: `${verb} one ${kind} of a customer` }),
        );
  });
  const get = async <T>(path: string): Promise<{ headers: Headers; body: T }> => {
    const response = await given.request('GET', `/v1/providers/${path}`);
    return { headers: response.headers, body: (await response.json()) as T };
  };
  const post = async <T>(path: string, body: unknown, key?: string): Promise<T> => {
    const answer = await given.json<T>('POST', `/v1/providers/${path}`, body, key);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  test('OpenAI tool search: one entry is sent, the search is answered, and a found tool is called', async () => {
    const sent = await get<unknown[]>('openai-responses/tools?mode=tool_search');
    assert.equal(sent.body.length, 1);

    const search = { type: 'tool_search_call', id: 'tsc', call_id: 'call_1', execution: 'client', status: 'completed' };
    const { calls, searches = [] } = await post<Answer>('openai-responses/calls', {
      output: [{ ...search, arguments: { query: 'track a parcel', limit: 2 } }],
    });
    assert.deepEqual(calls, []);
    assert.deepEqual(searches, [{ id: 'call_1', name: 'tool_search', search: { query: 'track a parcel', limit: 2 } }]);

    const [message] = await post<{ type: string; call_id: string; tools: Loaded[] }[]>('openai-responses/results', {
      results: searches,
    });
    assert.equal(message?.type, 'tool_search_output');
    assert.equal(message?.call_id, 'call_1');
    const loaded = message?.tools.flatMap(({ tools = [] }) => tools) ?? [];
    assert.equal(loaded.length, 2);

    const found = { type: 'function_call', call_id: 'c', namespace: 'parcel', name: loaded[0]?.name };
    const called = await post<Answer>('openai-responses/calls', {
      output: [{ ...found, arguments: '{"city":"Rome"}' }],
    });
    assert.equal(called.calls[0]?.name, 'parcel.track');
    assert.equal(called.calls[0]?.error, undefined);
    assert.equal('searches' in called, false);
  });

  test('Anthropic tool search: found tools are referenced by the names that were declared', async () => {
    interface Sent {
      readonly name: string;
      readonly defer_loading?: boolean;
    }
    const sent = await get<Sent[]>('anthropic/tools?mode=tool_search');
    const [tool, ...deferred] = sent.body;
    assert.equal(deferred.length, kinds.length * 3);
    assert.ok(deferred.every(({ defer_loading }) => defer_loading));
    assert.ok(Number(sent.headers.get('assay-tokens')) < 200);

    const { searches = [] } = await post<Answer>('anthropic/calls', {
      content: [{ type: 'tool_use', id: 'toolu_1', name: tool?.name, input: { query: 'cancel a flight' } }],
      stop_reason: 'tool_use',
    });
    const [message] = await post<{ content: { content: { type: string; tool_name: string }[] }[] }[]>(
      'anthropic/results',
      { results: [...searches, { id: 'toolu_2', name: 'tax.create', output: { ok: true } }] },
    );
    const references = message?.content[0]?.content ?? [];
    assert.equal(message?.content.length, 2);
    assert.ok(references.every(({ type }) => type === 'tool_reference'));
    assert.ok(deferred.some(({ name }) => name === references[0]?.tool_name));
    assert.match(references[0]?.tool_name ?? '', /^flight_cancel/);
  });

  test('a tool search stays within the key’s tools and the caller’s allowed list', async () => {
    const { body } = await given.json<{ key: string }>('POST', '/v1/keys', {
      scopes: ['read'],
      tools: ['tax.create', 'tax.track'],
    });
    const names = async (search: object, key?: string): Promise<readonly string[]> => {
      const results = [{ id: 'c', name: 'find_tools', search: { limit: 20, ...search } }];
      const [message] = await post<{ content: string }[]>('openai/results', { results }, key);
      return (JSON.parse(message?.content ?? '{}') as { tools: Loaded[] }).tools.map(({ name }) => name).sort();
    };

    assert.deepEqual(await names({ query: 'track a parcel or tax' }, body.key), ['tax.create', 'tax.track']);
    assert.deepEqual(await names({ query: 'track', allowed: ['recipe.track'] }), ['recipe.track']);
  });

  test('a tool search with an invalid field is refused by the field', async () => {
    for (const search of [
      {},
      { query: 3 },
      { query: 'x', limit: 0 },
      { query: 'x', limit: 21 },
      { query: 'x', a: 1 },
    ]) {
      const answer = await given.json<{ error: { code: string } }>('POST', '/v1/providers/openai/results', {
        results: [{ id: 'c', name: 'find_tools', search }],
      });
      assert.equal(answer.status, 400, JSON.stringify(search));
      assert.equal(answer.body.error.code, 'InvalidInput');
    }
    const many = Array.from({ length: 21 }, (_, id) => ({ id, name: 'find_tools', search: { query: 'x' } }));
    assert.equal((await given.json('POST', '/v1/providers/openai/results', { results: many })).status, 400);
  });

  test('what strict mode leaves out is in the headers, with the reason for each tool', async () => {
    const free = { type: 'object', properties: { note: { type: 'string' } } };
    await given.json('POST', '/v1/tools', aTool({ name: 'free', parameters: free }));
    interface Explained {
      readonly left_out: { tool: string }[];
      readonly strictness: { strict: number; plain: number; left_out: number };
      readonly entries: { tool: string; strict: boolean }[];
      readonly request?: { tool_choice: { tools: unknown[] } };
    }
    const { body, headers } = await get<Explained>('cohere/tools?strict=true&explain=true');

    assert.equal(headers.get('assay-left-out'), '1; free');
    assert.equal(headers.get('assay-strict'), `strict=${kinds.length * 3}, plain=0, left-out=1`);
    assert.deepEqual(body.strictness, { strict: kinds.length * 3, plain: 0, left_out: 1 });
    assert.ok(body.entries.every(({ strict }) => strict));
    const plain = await get('cohere/tools');
    assert.equal(plain.headers.get('assay-left-out'), null);
    assert.equal(plain.headers.get('assay-strict'), null);

    const choice = await get<Explained>('openai-responses/tools?allowed_tools=free&callers=programmatic&explain=true');
    assert.equal(choice.body.request?.tool_choice.tools.length, 1);
    assert.equal(choice.body.entries.length, kinds.length * 3 + 1);
  });
});
