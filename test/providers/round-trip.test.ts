import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type ToolListUnion } from '@google/genai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import type { Tool } from '../../shared/model/tool.ts';
import { convert, formatResults, type ModelCall, type ProviderName, parseCalls } from '../../shared/providers/index.ts';
import { aTool } from './support/tools.ts';

const tool: Tool = aTool({ name: 'iqa.score' });
const values = { image_key: 'a.png', metric: 'niqe' };
const text = JSON.stringify(values);

type Json = Readonly<Record<string, unknown>>;

/** What the stub was sent, and what it answers: a call first, words once a result is there. */
const received: { readonly path: string; readonly body: Json }[] = [];
let base = '';

const server = createServer((request, response) => {
  void answer(request, response);
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json;
  const path = (request.url ?? '').split('?')[0] ?? '';
  received.push({ path, body });
  const isStream = body.stream === true || path.includes('stream');
  const hasResult = /tool_result|function_call_output|functionResponse|"role":"tool"/.test(JSON.stringify(body));
  const reply = hasResult ? words(path) : asks(path, isStream, sentName(body));
  const isLines = path === '/api/chat';
  response.writeHead(200, {
    'content-type': !isStream ? 'application/json' : isLines ? 'application/x-ndjson' : 'text/event-stream',
  });
  if (!isStream) {
    response.end(JSON.stringify(reply[0]));
    return;
  }
  for (const event of reply) {
    const data = JSON.stringify(event);
    const { type } = event as Json;
    response.write(isLines ? `${data}\n` : `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`);
  }
  response.end(path === '/v1/chat/completions' ? 'data: [DONE]\n\n' : undefined);
}

const lastMessage = (): unknown => {
  const messages = received.at(-1)?.body.messages;
  return Array.isArray(messages) ? messages.at(-1) : undefined;
};

/** The model calls the tool by the name it was told. */
const sentName = (body: Json): string => /"name":"(iqa[^"]*)"/.exec(JSON.stringify(body.tools))?.[1] ?? '';

function asks(path: string, isStream: boolean, name: string): readonly unknown[] {
  const halves = [text.slice(0, 9), text.slice(9)];
  if (path === '/v1/chat/completions') {
    if (!isStream)
      return [
        {
          id: 'x',
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              finish_reason: 'tool_calls',
              message: {
                role: 'assistant',
                content: null,
                tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: text } }],
              },
            },
          ],
        },
      ];
    const delta = (part: unknown): unknown => ({
      id: 'x',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { tool_calls: [part] } }],
    });
    return [
      delta({ index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } }),
      ...halves.map((part) => delta({ index: 0, function: { arguments: part } })),
    ];
  }
  if (path === '/v1/responses')
    return [
      {
        id: 'r',
        object: 'response',
        output: [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: text, status: 'completed' }],
      },
    ];
  if (path === '/v1/messages') {
    if (!isStream)
      return [
        {
          id: 'm',
          type: 'message',
          role: 'assistant',
          stop_reason: 'tool_use',
          content: [{ type: 'tool_use', id: 'toolu_1', name, input: values }],
        },
      ];
    return [
      { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name, input: {} } },
      ...halves.map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_stop' },
    ];
  }
  if (path === '/api/chat')
    return [
      {
        model: 'm',
        message: { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: values } }] },
        done: true,
      },
    ];
  return [
    {
      candidates: [
        { content: { role: 'model', parts: [{ functionCall: { name, args: values } }] }, finishReason: 'STOP' },
      ],
    },
  ];
}

function words(path: string): readonly unknown[] {
  if (path === '/v1/chat/completions')
    return [
      {
        id: 'x',
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It scores 3.5' } }],
      },
    ];
  if (path === '/v1/responses')
    return [
      {
        id: 'r',
        object: 'response',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It scores 3.5' }] }],
      },
    ];
  if (path === '/v1/messages')
    return [
      {
        id: 'm',
        type: 'message',
        role: 'assistant',
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'It scores 3.5' }],
      },
    ];
  if (path === '/api/chat')
    return [{ model: 'm', message: { role: 'assistant', content: 'It scores 3.5' }, done: true }];
  return [{ candidates: [{ content: { role: 'model', parts: [{ text: 'It scores 3.5' }] }, finishReason: 'STOP' }] }];
}

/** The definitions and messages are typed by the SDK; their forms are proven in the test of its types. */
const toolsFor = <T>(provider: ProviderName, options = {}): T => convert(provider, [tool], options).value as T;
const messagesFor = <T>(provider: ProviderName, calls: readonly ModelCall[]): T =>
  formatResults(
    provider,
    calls.map(({ id, name }) => ({ id, name, output: { score: 3.5 } })),
  ) as T;

function callsIn(provider: ProviderName, response: unknown): readonly ModelCall[] {
  const calls = parseCalls(provider, response, { names: [tool.name], tool: () => tool });
  assert.deepEqual(
    calls.map(({ name, arguments: args, error }) => ({ name, args, error })),
    [{ name: 'iqa.score', args: values, error: undefined }],
  );
  return calls;
}

async function gather<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const events: T[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('a real client completes a round trip with a tool', () => {
  const user = { role: 'user', content: 'How good is a.png?' } as const;

  test('OpenAI’s client completes a Chat Completions round trip, whole and streamed', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: `${base}/v1`, maxRetries: 0 });
    type Tools = OpenAI.Chat.Completions.ChatCompletionTool[];
    type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
    const tools = toolsFor<Tools>('openai', { strict: true });

    const first = await client.chat.completions.create({ model: 'm', messages: [user], tools });
    const calls = callsIn('openai', first);
    const replies = messagesFor<Message[]>('openai', calls);
    const asked = first.choices[0]?.message as Message;
    const second = await client.chat.completions.create({ model: 'm', messages: [user, asked, ...replies], tools });

    assert.equal(second.choices[0]?.message.content, 'It scores 3.5');
    assert.deepEqual(lastMessage(), {
      role: 'tool',
      tool_call_id: 'call_1',
      content: '{"score":3.5}',
    });
    callsIn(
      'openai',
      await gather(await client.chat.completions.create({ model: 'm', messages: [user], tools, stream: true })),
    );
  });

  test('OpenAI’s client completes a Responses round trip', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: `${base}/v1`, maxRetries: 0 });
    const tools = toolsFor<OpenAI.Responses.Tool[]>('openai-responses');

    const first = await client.responses.create({ model: 'm', input: [user], tools });
    const replies = messagesFor<OpenAI.Responses.ResponseInputItem[]>(
      'openai-responses',
      callsIn('openai-responses', first),
    );
    const second = await client.responses.create({
      model: 'm',
      input: [user, ...(first.output as OpenAI.Responses.ResponseInputItem[]), ...replies],
      tools,
    });

    assert.equal(second.output_text, 'It scores 3.5');
  });

  test('Anthropic’s client completes a Messages round trip, whole and streamed', async () => {
    const client = new Anthropic({ apiKey: 'x', baseURL: base, maxRetries: 0 });
    const tools = toolsFor<Anthropic.Tool[]>('anthropic');
    const common = { model: 'm', max_tokens: 100, tools };

    const first = await client.messages.create({ ...common, messages: [user] });
    const replies = messagesFor<Anthropic.MessageParam[]>('anthropic', callsIn('anthropic', first));
    const second = await client.messages.create({
      ...common,
      messages: [user, { role: 'assistant', content: first.content }, ...replies],
    });

    assert.deepEqual(second.content, [{ type: 'text', text: 'It scores 3.5' }]);
    callsIn('anthropic', await gather(await client.messages.create({ ...common, messages: [user], stream: true })));
  });

  test('Gemini’s client completes a round trip, whole and streamed, in both schema formats', async () => {
    const client = new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: base } });
    const contents = [{ role: 'user', parts: [{ text: 'How good is a.png?' }] }];

    for (const options of [{}, { schema: 'json' }]) {
      const request = { model: 'm', config: { tools: toolsFor<ToolListUnion>('gemini', options) } };
      const first = await client.models.generateContent({ ...request, contents });
      const replies = messagesFor<typeof contents>('gemini', callsIn('gemini', first));
      const model = first.candidates?.[0]?.content as (typeof contents)[number];
      const second = await client.models.generateContent({ ...request, contents: [...contents, model, ...replies] });

      assert.equal(second.text, 'It scores 3.5');
      callsIn('gemini', await gather(await client.models.generateContentStream({ ...request, contents })));
    }
  });

  test('Ollama’s client completes a round trip, whole and streamed', async () => {
    const client = new Ollama({ host: base });
    const tools = toolsFor<NonNullable<Parameters<Ollama['chat']>[0]['tools']>>('ollama');

    const first = await client.chat({ model: 'm', messages: [user], tools });
    const replies = messagesFor<{ role: string; content: string }[]>('ollama', callsIn('ollama', first));
    const second = await client.chat({ model: 'm', messages: [user, first.message, ...replies], tools });

    assert.equal(second.message.content, 'It scores 3.5');
    callsIn('ollama', await gather(await client.chat({ model: 'm', messages: [user], tools, stream: true })));
  });
});
