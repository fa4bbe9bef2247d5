import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const PROVIDERS = [
  'anthropic',
  'bedrock',
  'cohere',
  'gemini',
  'gemini-interactions',
  'mcp',
  'mistral',
  'ollama',
  'open-responses',
  'openai',
  'openai-responses',
  'openrouter',
];

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details: Record<string, unknown> };
}

describe('definitions over HTTP', () => {
  let given: TestAssay;
  before(async () => {
    given = await testAssay();
    await given.json('POST', '/v1/tools', aTool({ name: 'b_tool', tags: ['x'], category: 'c' }));
    await given.json('POST', '/v1/tools', aTool({ name: 'a.tool', tags: ['x', 'y'] }));
    await given.json(
      'POST',
      '/v1/tools',
      aTool({
        name: 'c_tool',
        instructions: 'Use c_tool with care.',
        parameters: { type: 'object', properties: { n: { type: 'number', exclusiveMinimum: 0 }, k: { const: 'v' } } },
      }),
    );
    await given.json('POST', '/v1/tools', aTool({ name: 'off' }));
    await given.json('PATCH', '/v1/tools/off', { enabled: false });
  });

  const get = async <T>(path: string, key = ADMIN_KEY, headers = {}) => {
    const response = await given.request('GET', path, undefined, key, headers);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text ? JSON.parse(text) : undefined) as T,
    };
  };

  test('GET /v1/providers lists the supported providers', async () => {
    assert.deepEqual((await get('/v1/providers')).body, { providers: PROVIDERS });
  });

  test('R2.07 OpenAI gets type and function, and no envelope', async () => {
    const { status, body } = await get<unknown[]>('/v1/providers/openai/tools?allowed=b_tool');

    assert.equal(status, 200);
    assert.deepEqual(body, [
      {
        type: 'function',
        function: {
          name: 'b_tool',
          description: 'Look up the weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ]);
  });

  test('R2.08 R3.06 Ollama and OpenRouter get all enabled tools in the same form', async () => {
    for (const provider of ['ollama', 'openrouter']) {
      const { body } = await get<{ type: string; function: { name: string } }[]>(`/v1/providers/${provider}/tools`);
      assert.equal(body.length, 3);
      assert.ok(body.every((tool) => tool.type === 'function' && tool.function.name !== 'off'));
    }
  });

  test('R2.09 Gemini gets one object of all declarations, with parameters or as JSON Schema', async () => {
    type Gemini = { functionDeclarations: Record<string, unknown>[] }[];
    const { body } = await get<Gemini>('/v1/providers/gemini/tools');
    const json = await get<Gemini>('/v1/providers/gemini/tools?schema=json');

    assert.equal(body.length, 1);
    assert.equal(body[0]?.functionDeclarations.length, 3);
    assert.ok(body[0]?.functionDeclarations.every((tool) => 'parameters' in tool));
    assert.ok(json.body[0]?.functionDeclarations.every((tool) => 'parametersJsonSchema' in tool));
  });

  test('R2.10 allowed keeps the registry’s order, not the order of the list', async () => {
    const { body } = await get<{ name: string }[]>('/v1/providers/mcp/tools?allowed=c_tool,nothing,a.tool,off');

    assert.deepEqual(
      body.map(({ name }) => name),
      ['a.tool', 'c_tool'],
    );
  });

  test('tags and category filter definitions as they filter the tool list', async () => {
    const byTag = await get<{ name: string }[]>('/v1/providers/mcp/tools?tags=x,y');
    const byCategory = await get<{ name: string }[]>('/v1/providers/mcp/tools?category=c');

    assert.deepEqual(
      [...byTag.body, ...byCategory.body].map(({ name }) => name),
      ['a.tool', 'b_tool'],
    );
  });

  test('R2.11 an unknown provider is refused, and the error names the supported ones', async () => {
    for (const call of ['GET tools', 'POST calls', 'POST results']) {
      const [method = '', path = ''] = call.split(' ');
      const body = method === 'GET' ? undefined : { results: [] };
      const answer = await given.json<ErrorBody>(method, `/v1/providers/clippy/${path}`, body);
      assert.equal(answer.status, 400, call);
      assert.match(answer.body.error.message, /"clippy" is not supported.*anthropic.*openrouter/);
      assert.deepEqual(answer.body.error.details.supported, PROVIDERS);
    }
  });

  test('an unknown option value is refused with the allowed ones', async () => {
    for (const query of ['strict=yes', 'schema=xml', 'mode=all', 'defer=1', 'explain=']) {
      const { status, body } = await get<ErrorBody>(`/v1/providers/openai/tools?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.error.message, /must be /);
    }
  });

  test('headers count what a conversion lost and its token cost; explain says it in full', async () => {
    interface Explained {
      readonly tools: unknown;
      readonly warnings: { tool: string; message: string }[];
      readonly left_out: unknown[];
      readonly tokens: number;
    }
    const plain = await get('/v1/providers/gemini/tools?allowed=c_tool');
    const { body, headers } = await get<Explained>('/v1/providers/gemini/tools?allowed=c_tool&explain=true');

    assert.deepEqual(body.tools, plain.body);
    assert.ok(body.warnings.length > 0);
    assert.ok(body.warnings.every(({ tool }) => tool === 'c_tool'));
    for (const each of [plain.headers, headers]) {
      assert.equal(each.get('assay-warnings'), String(body.warnings.length + body.left_out.length));
      assert.equal(each.get('assay-tokens'), String(body.tokens));
    }
    assert.ok(body.tokens > 10);
  });

  test('strict, defer and search modes change the definitions', async () => {
    type Tool = { name?: string; strict?: boolean; defer_loading?: boolean; type?: string };
    const strict = await get<Tool[]>('/v1/providers/openai-responses/tools?strict=true');
    const deferred = await get<Tool[]>('/v1/providers/anthropic/tools?defer=true');
    const search = await get<{ name: string }[]>('/v1/providers/anthropic/tools?mode=search');
    const all = await get('/v1/providers/anthropic/tools');

    assert.ok(strict.body.some((tool) => tool.strict));
    assert.equal(deferred.body.filter((tool) => tool.defer_loading).length, 3);
    assert.deepEqual(search.body.map(({ name }) => name).sort(), ['call_tool', 'find_tools']);
    assert.ok(Number(deferred.headers.get('assay-tokens')) < Number(all.headers.get('assay-tokens')));
  });

  test('unchanged definitions answer 304, changed ones 200', async () => {
    const other = await testAssay();
    const ask = async (etag?: string) => {
      const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
      return other.request('GET', '/v1/providers/openai/tools', undefined, ADMIN_KEY, headers);
    };
    await other.json('POST', '/v1/tools', aTool({ name: 'one' }));
    const etag = (await ask()).headers.get('etag') ?? '';
    assert.equal((await ask(etag)).status, 304);
    assert.equal((await ask(`W/${etag}`)).status, 304);

    await other.json('POST', '/v1/tools', aTool({ name: 'two' }));

    assert.equal((await ask(etag)).status, 200);
    assert.equal(((await (await ask()).json()) as unknown[]).length, 2);
  });

  test('a key gets its own tenant’s definitions, and of those only its tools, also after others asked', async () => {
    const other = await given.key({ tenant: 'other', scopes: ['read'] });
    const confined = await given.key({ scopes: ['read'], tools: ['b_tool'] });
    const none = await given.key({ scopes: ['invoke'] });
    const path = '/v1/providers/mcp/tools';

    assert.equal((await get<unknown[]>(path)).body.length, 3);
    assert.deepEqual((await get<unknown[]>(path, other)).body, []);
    assert.equal((await get<unknown[]>(path, confined)).body.length, 1);
    assert.deepEqual((await get<unknown[]>(`${path}?allowed=a.tool`, confined)).body, []);
    assert.equal((await get(path, none)).status, 403);
  });

  test('R3.07 the prompt has each tool’s own instructions, or text built from its description', async () => {
    const response = await given.request('GET', '/v1/prompt?allowed=b_tool,c_tool');
    const text = await response.text();

    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.ok(Number(response.headers.get('assay-tokens')) > 5);
    const [first = '', second = ''] = text.split('\n\n');
    assert.match(first, /^b_tool: Look up the weather of a city\nParameters:\n- city \(string, required\)$/);
    assert.equal(second, 'Use c_tool with care.');
  });

  test('registering a tool warns of what each provider will lose', async () => {
    const lossy = aTool({
      name: 'lossy',
      parameters: { type: 'object', properties: { a: { not: { type: 'string' } } } },
    });

    const { status, body } = await given.json<{ warnings: string[] }>('POST', '/v1/tools', lossy);
    const clean = await given.json<{ warnings?: string[] }>('POST', '/v1/tools', aTool({ name: 'clean' }));
    await given.json('DELETE', '/v1/tools/lossy');
    await given.json('DELETE', '/v1/tools/clean');

    assert.equal(status, 201);
    assert.ok(body.warnings.some((warning) => warning.startsWith('gemini: ')));
    assert.equal(clean.body.warnings, undefined);
  });
});

describe('model calls and results over HTTP', () => {
  let given: TestAssay;
  before(async () => {
    given = await testAssay();
    await given.json('POST', '/v1/tools', aTool({ name: 'weather.lookup' }));
    await given.json('POST', '/v1/tools', aTool());
  });

  interface Calls {
    readonly calls: { id: string; name: string; arguments: unknown; error?: { code: string; message: string } }[];
  }

  test('a name that was mapped for a provider is mapped back', async () => {
    const tools = await given.json<{ function: { name: string } }[]>(
      'GET',
      '/v1/providers/openai/tools?allowed=weather.lookup',
    );
    const name = tools.body[0]?.function.name ?? '';
    assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);

    const message = { tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: '{"city":"Rome"}' } }] };
    const { body } = await given.json<Calls>('POST', '/v1/providers/openai/calls', { choices: [{ message }] });

    assert.deepEqual(body.calls, [{ id: 'c1', name: 'weather.lookup', arguments: { city: 'Rome' } }]);
  });

  test('a model call that cannot be parsed carries its error, and the others are kept', async () => {
    const call = (id: string, name: string, text: string) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    });
    const tool_calls = [
      call('1', 'weather_lookup', '{"city":'),
      call('2', 'no_such_tool', '{}'),
      call('3', 'weather_lookup', 'null'),
      call('4', 'weather_lookup', '{"city":"Oslo"}'),
      call('4', 'weather_lookup', '{"city":"Bonn"}'),
      call('5', 'weather_lookup', '{"__proto__":{"polluted":true}}'),
    ];

    const { status, body } = await given.json<Calls>('POST', '/v1/providers/openai/calls', {
      choices: [{ message: { tool_calls } }],
    });

    assert.equal(status, 200);
    assert.deepEqual(
      body.calls.map(({ error }) => error?.code),
      ['InvalidInput', 'NotFound', 'InvalidInput', undefined, 'Conflict', undefined],
    );
    assert.deepEqual(body.calls[3]?.arguments, { city: 'Oslo' });
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  const delta = (fragment: unknown) => ({ choices: [{ index: 0, delta: { tool_calls: [fragment] } }] });
  const fragments = [
    delta({ index: 0, id: 'c9', type: 'function', function: { name: 'weather_lookup', arguments: '' } }),
    delta({ index: 0, function: { arguments: '{"ci' } }),
    delta({ index: 0, function: { arguments: 'ty":"Kyiv"}' } }),
  ];
  const forms = {
    'a list of events': JSON.stringify(fragments),
    'server-sent events': `${fragments.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`,
    'events with names and comments': `: hello\r\n\r\n${fragments.map((each) => `event: chunk\r\ndata: ${JSON.stringify(each)}\r\n\r\n`).join('')}`,
    'one event a line': fragments.map((each) => JSON.stringify(each)).join('\n'),
  };
  for (const [form, text] of Object.entries(forms))
    test(`streamed calls are assembled from ${form}`, async () => {
      const { body } = await given.json<Calls>('POST', '/v1/providers/openai/calls', text);

      assert.deepEqual(body.calls, [{ id: 'c9', name: 'weather_lookup', arguments: { city: 'Kyiv' } }]);
    });

  test('a body that is not a model response is refused or has no calls', async () => {
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
    for (const text of ['', '  ', 'not json', '{"a":1}\nnot json', deep]) {
      const { status } = await given.json('POST', '/v1/providers/openai/calls', text);
      assert.equal(status, 400, JSON.stringify(text.slice(0, 20)));
    }
    for (const text of ['{}', '[]', 'null', '42', '"text"', '{"choices":[]}']) {
      const { status, body } = await given.json<Calls>('POST', '/v1/providers/openai/calls', text);
      assert.equal(status, 200);
      assert.deepEqual(body, { calls: [] });
    }
  });

  test('results are converted to the provider’s messages', async () => {
    const results = [
      { id: 'c1', name: 'weather_lookup', output: { temperature: 21 } },
      { id: 'c2', name: 'weather_lookup', error: { type: 'Timeout', message: 'too slow' } },
    ];

    const openai = await given.json<unknown>('POST', '/v1/providers/openai/results', { results });
    const anthropic = await given.json<{ role: string; content: { is_error?: boolean }[] }[]>(
      'POST',
      '/v1/providers/anthropic/results',
      { results },
    );

    assert.deepEqual((openai.body as unknown[])[0], {
      role: 'tool',
      tool_call_id: 'c1',
      content: '{"temperature":21}',
    });
    assert.equal(anthropic.body.length, 1);
    assert.equal(anthropic.body[0]?.content[1]?.is_error, true);
  });

  test('a result is returned in the form of its call, with the provider’s name of the tool', async () => {
    const message = { function_call: { name: 'weather_lookup', arguments: '{"city":"Oslo"}' } };
    const { body } = await given.json<Calls>('POST', '/v1/providers/openai/calls', { choices: [{ message }] });
    const [{ arguments: _, ...call } = { arguments: {} }] = body.calls;

    const results = [{ ...call, output: 'fine' }];
    const told = await given.json<unknown>('POST', '/v1/providers/openai/results', { results });

    assert.deepEqual(told.body, [{ role: 'function', name: 'weather_lookup', content: 'fine' }]);
  });

  test('a body without results is refused by its field', async () => {
    for (const body of [{}, { results: 'x' }, { results: [{ name: 'x' }] }, { results: [], more: 1 }]) {
      const { status } = await given.json('POST', '/v1/providers/openai/results', body);
      assert.equal(status, 400);
    }
  });
});
