import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Anthropic from '@anthropic-ai/sdk';
import type * as Gemini from '@google/genai';
import type OpenAI from 'openai';
import {
  buildRequest,
  convert,
  formatResults,
  parseCalls,
  providerNames,
  readAnswer,
  SEARCH_TOOL,
} from '../../shared/providers/index.ts';
import { aTool } from './support/tools.ts';

const tools = [
  aTool({ name: 'images.score' }),
  aTool({ name: 'images.delete', permission: 'confirm' }),
  aTool({ name: 'list', category: 'files', output_schema: { type: 'object' } }),
  aTool({ name: 'alone' }),
];
const messages = (provider: string): string[] =>
  buildRequest(provider, tools, {
    mode: 'tool_search',
    allowedTools: ['list'],
    callers: 'programmatic',
    namespaces: true,
  }).warnings.flatMap(({ tool, message }) => (tool === '*' ? [message] : []));

describe('provider tool search run by the client', () => {
  test('OpenAI gets only the search tool, whatever the size of the catalogue', () => {
    const many = Array.from({ length: 2000 }, (_, index) => aTool({ name: `tool_${index}` }));
    const { value, tokens } = convert('openai-responses', many, { mode: 'tool_search' });
    const [search, ...rest] = value as OpenAI.Responses.ToolSearchTool[];

    assert.deepEqual(rest, []);
    assert.equal(search?.type, 'tool_search');
    assert.equal(search?.execution, 'client');
    assert.ok(tokens < 200, `${tokens} tokens`);
  });

  test('Anthropic gets the search tool and deferred definitions, since only declared tools can be referenced', () => {
    const { value, tokens } = convert('anthropic', tools, { mode: 'tool_search' });
    const [search, ...rest] = value as Anthropic.Tool[];

    assert.equal(search?.name, SEARCH_TOOL);
    assert.equal(search?.defer_loading, undefined);
    assert.equal(rest.length, tools.length);
    assert.ok(rest.every(({ defer_loading }) => defer_loading));
    assert.ok(tokens < 200, `${tokens} tokens`);
  });

  test('a tool with the name of the search tool is left out', () => {
    const { left_out } = convert('anthropic', [aTool({ name: SEARCH_TOOL }), ...tools], { mode: 'tool_search' });

    assert.deepEqual(left_out, [{ tool: SEARCH_TOOL, reason: `the name ${SEARCH_TOOL} is that of the search` }]);
  });

  test('providers without a tool search get find_tools and call_tool, and a warning', () => {
    for (const provider of providerNames.filter((name) => !['openai-responses', 'anthropic'].includes(name))) {
      const { value } = convert(provider, tools, { mode: 'tool_search' });
      assert.match(JSON.stringify(value), /"call_tool".*"find_tools"/);
      assert.ok(messages(provider).some((message) => message.includes('no search that the client runs')));
    }
  });
});

describe('calls of the search tool', () => {
  const item = { type: 'tool_search_call', id: 'tsc_1', call_id: 'call_1', execution: 'client', status: 'completed' };

  test('OpenAI’s search item is parsed as a search, streamed or whole, and not as a call', () => {
    const streamed = [
      { type: 'response.created', response: { output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, call_id: 'call_0', arguments: {}, status: 'in_progress' },
      },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...item, arguments: { query: 'score', limit: 3 } },
      },
    ];
    const expected = [{ id: 'call_1', name: 'tool_search', search: { query: 'score', limit: 3 } }];
    const answer = readAnswer('openai-responses', streamed, { names: ['score'] });

    assert.deepEqual(answer, { calls: [], searches: expected });
    assert.deepEqual(parseCalls('openai-responses', streamed), []);
    assert.deepEqual(
      readAnswer('openai-responses', { output: [{ ...item, arguments: { query: 'score', limit: 3 } }] }).searches,
      expected,
    );
    const [cut] = readAnswer('openai-responses', streamed.slice(0, 2)).searches;
    assert.match(cut?.error?.message ?? '', /not read completely/);
  });

  test('a search that the provider runs itself is ignored', () => {
    const output = [{ ...item, execution: 'server', call_id: null, arguments: { paths: ['crm'] } }];

    assert.deepEqual(readAnswer('openai-responses', { output }), { calls: [], searches: [] });
  });

  test('parameters of a differently declared search tool are recognised by their descriptions', () => {
    const query = (values: unknown): string | undefined =>
      readAnswer('openai-responses', { output: [{ ...item, arguments: values }] }).searches[0]?.search.query;

    assert.equal(query({ goal: 'find the weather' }), 'find the weather');
    assert.equal(query({ topic: 'weather', words: ['rain', 'snow'], n: 3 }), 'weather rain snow');
  });

  test('a search without a query is an error, and its limit is bounded', () => {
    const [search] = readAnswer('openai-responses', { output: [{ ...item, arguments: {} }] }).searches;
    assert.match(search?.error?.message ?? '', /nothing to look for/);

    const asked = { content: [{ type: 'tool_use', id: 't', name: SEARCH_TOOL, input: { query: 'x', limit: 9999 } }] };
    assert.deepEqual(readAnswer('anthropic', asked, { names: ['score'] }), {
      calls: [],
      searches: [{ id: 't', name: SEARCH_TOOL, search: { query: 'x', limit: 20 } }],
    });
  });
});

describe('results of a search', () => {
  test('OpenAI search results are definitions, grouped into namespaces', () => {
    const [message] = formatResults('openai-responses', [{ id: 'call_1', name: 'tool_search', found: tools }]) as [
      OpenAI.Responses.ResponseToolSearchOutputItemParam,
    ];

    assert.equal(message.type, 'tool_search_output');
    assert.deepEqual([message.call_id, message.execution, message.status], ['call_1', 'client', 'completed']);
    const shapes = message.tools.map((tool) =>
      tool.type === 'namespace' ? [tool.name, tool.tools.length] : 'name' in tool && tool.name,
    );
    assert.deepEqual(shapes, [['images', 2], ['files', 1], 'alone']);
    const [name = ''] = (message.tools[0] as OpenAI.Responses.NamespaceTool).tools.map((tool) => tool.name);
    const call = { type: 'function_call', call_id: 'c', name, namespace: 'images', arguments: '{}' };
    assert.equal(
      parseCalls('openai-responses', { output: [call] }, { names: tools.map((tool) => tool.name) })[0]?.name,
      'images.score',
    );
  });

  test('Anthropic search results are references, in the same message as other results', () => {
    const [message] = formatResults('anthropic', [
      { id: 't1', name: SEARCH_TOOL, found: tools.slice(2) },
      { id: 't2', name: 'list', output: 3 },
      { id: 't3', name: SEARCH_TOOL, found: [] },
    ]) as [Anthropic.MessageParam];

    assert.deepEqual(message.content, [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [
          { type: 'tool_reference', tool_name: 'list' },
          { type: 'tool_reference', tool_name: 'alone' },
        ],
      },
      { type: 'tool_result', tool_use_id: 't2', content: '3' },
      { type: 'tool_result', tool_use_id: 't3', content: 'no tool fits; search with other words' },
    ]);
  });

  test('the result of find_tools is a listing, for every provider', () => {
    for (const provider of providerNames) {
      const text = JSON.stringify(formatResults(provider, [{ id: 'c', name: 'find_tools', found: tools.slice(2, 3) }]));
      assert.match(text, /image_key/, provider);
    }
  });

  test('a failed search returns no tools', () => {
    const [message] = formatResults('openai-responses', [{ id: 'c', name: 'tool_search', error: 'no' }]);

    assert.deepEqual((message as { tools: unknown[] }).tools, []);
  });
});

describe('settings of each tool', () => {
  test('allowed_tools keeps every definition and limits the choice', () => {
    const choice = (provider: string): unknown => buildRequest(provider, tools, { allowedTools: ['list'] }).request;
    const responses: { tool_choice: OpenAI.Responses.ToolChoiceAllowed } = {
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'list' }] },
    };
    const chat: { tool_choice: OpenAI.Chat.Completions.ChatCompletionAllowedToolChoice } = {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'list' } }] },
      },
    };
    const interactions: { tool_choice: Gemini.Interactions.ToolChoiceConfig } = {
      tool_choice: { allowed_tools: { mode: 'auto', tools: ['list'] } },
    };

    assert.deepEqual(choice('openai-responses'), responses);
    assert.deepEqual(choice('openai'), chat);
    assert.deepEqual(choice('gemini-interactions'), interactions);
    assert.deepEqual(choice('gemini'), {
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['list'] } },
    });
    const { value, entries } = buildRequest('openai', tools, { allowedTools: ['list'] });
    assert.equal((value as unknown[]).length, tools.length);
    assert.deepEqual(
      entries.filter(({ allowed }) => allowed).map(({ tool }) => tool),
      ['list'],
    );
    assert.ok(messages('cohere').some((message) => message.includes('use allowed')));
    const [unknown] = buildRequest('openai', tools, { allowedTools: ['list', 'nobody'] }).warnings.slice(-1);
    assert.match(unknown?.message ?? '', /not sent: nobody/);
  });

  test('a tool that needs consent is never callable from code', () => {
    const callers = (provider: string): unknown =>
      buildRequest(provider, tools, { callers: 'programmatic' }).entries.map((entry) => entry.allowed_callers);

    const both = ['direct', 'programmatic'];
    assert.deepEqual(callers('openai-responses'), [both, ['direct'], both, both]);
    const code = ['direct', 'code_execution_20260120'];
    assert.deepEqual(callers('anthropic'), [code, ['direct'], code, code]);
    const { value } = buildRequest('openai-responses', tools, { callers: 'programmatic' });
    assert.deepEqual((value as OpenAI.Responses.FunctionTool[])[2]?.output_schema, { type: 'object' });
    assert.ok(messages('gemini').some((message) => message.includes('who may call')));
  });

  test('a result is returned with the program that made the call', () => {
    const [call] = parseCalls('openai-responses', {
      output: [
        {
          type: 'function_call',
          call_id: 'c',
          name: 'x',
          arguments: '{}',
          caller: { type: 'program', caller_id: 'p' },
        },
      ],
    });
    assert.ok(call);

    const [message] = formatResults('openai-responses', [{ ...call, output: 1 }]);
    assert.deepEqual(message, {
      type: 'function_call_output',
      call_id: 'c',
      output: '1',
      caller: { type: 'program', caller_id: 'p' },
    });
  });

  test('namespaces hold fewer than ten functions', () => {
    const many = Array.from({ length: 25 }, (_, index) => aTool({ name: `crm.tool_${index}` }));
    const { value, json } = buildRequest('openai-responses', many, { defer: true, namespaces: true });
    const spaces = (value as OpenAI.Responses.Tool[]).filter((tool) => tool.type === 'namespace');

    assert.deepEqual(
      spaces.map(({ name, tools: inner }) => [name, inner.length]),
      [
        ['crm', 9],
        ['crm_2', 9],
        ['crm_3', 7],
      ],
    );
    assert.deepEqual((value as unknown[])[0], { type: 'tool_search' });
    const meeting = [
      ...many,
      aTool({ name: 'crm_2.x' }),
      aTool({ name: 'a', category: '天气' }),
      aTool({ name: 'b', category: '图像' }),
    ];
    const named = buildRequest('openai-responses', meeting, { namespaces: true }).value as { name: string }[];
    assert.equal(new Set(named.map(({ name }) => name)).size, 6);
    assert.ok(named.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)));
    assert.deepEqual(JSON.parse(json), value);
    assert.ok(messages('openai').some((message) => message.includes('no namespaces')));
  });

  test('each tool reports how strict it became', () => {
    const free = aTool({ name: 'free', parameters: { type: 'object', properties: { a: {}, b: { type: 'string' } } } });
    const { entries, left_out } = buildRequest('cohere', [aTool(), free], { strict: true });

    assert.deepEqual(
      entries.map(({ tool, strict }) => [tool, strict]),
      [['score', true]],
    );
    assert.deepEqual(
      left_out.map(({ tool }) => tool),
      ['free'],
    );
  });
});
