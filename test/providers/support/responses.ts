import type { ProviderName } from '../../../shared/providers/index.ts';

export const values = { image_key: 'a.png', metric: 'niqe' };
export const text = JSON.stringify(values);
export const halves = [text.slice(0, 7), text.slice(7, 20), text.slice(20)];

interface Sample {
  /** A whole response with two calls. */
  readonly whole: unknown;
  /** The same as the provider streams it. */
  readonly stream: readonly unknown[];
  readonly ids: readonly (string | number)[];
}

const chatCalls = [
  { id: 'call_1', type: 'function', function: { name: 'score', arguments: text } },
  { id: 'call_2', type: 'function', function: { name: 'list', arguments: '' } },
];
export const chunk = (tool_calls: unknown): unknown => ({ choices: [{ index: 0, delta: { tool_calls } }] });
const chat: Sample = {
  whole: {
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: chatCalls }, finish_reason: 'tool_calls' },
    ],
  },
  stream: [
    { choices: [{ index: 0, delta: { role: 'assistant', content: null } }] },
    chunk([{ index: 0, id: 'call_1', type: 'function', function: { name: 'score', arguments: '' } }]),
    ...halves.map((part) => chunk([{ index: 0, function: { arguments: part } }])),
    chunk([{ index: 1, id: 'call_2', type: 'function', function: { name: 'list', arguments: '' } }]),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { total_tokens: 3 } },
  ],
  ids: ['call_1', 'call_2'],
};
const item = (id: string, name: string, args: string): unknown => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
});

const items: Sample = {
  whole: {
    output: [{ type: 'reasoning', summary: [] }, item('call_1', 'score', text), item('call_2', 'list', '{}')],
  },
  stream: [
    { type: 'response.output_item.added', output_index: 0, item: { ...(item('call_1', 'score', '') as object) } },
    ...halves.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: 'fc_call_1',
      output_index: 0,
      delta,
    })),
    { type: 'response.function_call_arguments.done', item_id: 'fc_call_1', output_index: 0, arguments: text },
    { type: 'response.output_item.done', output_index: 0, item: item('call_1', 'score', text) },
    { type: 'response.output_item.added', output_index: 1, item: item('call_2', 'list', '') },
    { type: 'response.output_item.done', output_index: 1, item: item('call_2', 'list', '{}') },
  ],
  ids: ['call_1', 'call_2'],
};

export const samples: Readonly<Record<ProviderName, Sample>> = {
  openai: chat,
  openrouter: chat,
  mistral: {
    whole: {
      choices: [
        {
          index: 0,
          message: {
            tool_calls: [
              { id: 'abcdefghi', function: { name: 'score', arguments: values } },
              { id: 'null', function: { name: 'list', arguments: '{}' } },
            ],
          },
        },
      ],
    },
    stream: [
      {
        data: {
          choices: [
            {
              index: 0,
              delta: {
                toolCalls: [
                  { id: 'abcdefghi', index: 0, function: { name: 'score', arguments: text } },
                  { id: 'null', index: 1, function: { name: 'list', arguments: '{}' } },
                ],
              },
            },
          ],
        },
      },
    ],
    ids: ['abcdefghi', 'assay0001'],
  },
  'openai-responses': items,
  'open-responses': items,
  'gemini-interactions': {
    whole: {
      object: 'interaction',
      status: 'requires_action',
      steps: [
        { type: 'thought', signature: 'c2ln' },
        { type: 'function_call', id: 'g1', name: 'score', arguments: values },
        { type: 'function_call', id: 'g2', name: 'list', arguments: {} },
      ],
    },
    stream: [
      { event_type: 'interaction.created', interaction: { status: 'in_progress' } },
      { event_type: 'step.start', index: 0, step: { type: 'function_call', id: 'g1', name: 'score' } },
      ...halves.map((part) => ({
        event_type: 'step.delta',
        index: 0,
        delta: { type: 'arguments_delta', arguments: part },
      })),
      { event_type: 'step.stop', index: 0 },
      { event_type: 'step.start', index: 1, step: { type: 'function_call', id: 'g2', name: 'list' } },
      { event_type: 'step.stop', index: 1 },
      { event_type: 'interaction.completed', interaction: { status: 'requires_action' } },
    ],
    ids: ['g1', 'g2'],
  },
  anthropic: {
    whole: {
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Let me see' },
        { type: 'tool_use', id: 'toolu_1', name: 'score', input: values },
        { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} },
      ],
    },
    stream: [
      { type: 'message_start', message: { id: 'msg', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me see' } },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'score', input: {} },
      },
      ...halves.map((partial_json) => ({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ],
    ids: ['toolu_1', 'toolu_2'],
  },
  gemini: {
    whole: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { functionCall: { id: 'g1', name: 'score', args: values }, thoughtSignature: 'c2ln' },
              { functionCall: { name: 'list' } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    },
    stream: [
      { candidates: [{ content: { parts: [{ text: 'Let me see' }] } }] },
      {
        candidates: [
          {
            content: { parts: [{ functionCall: { id: 'g1', name: 'score', args: values }, thoughtSignature: 'c2ln' }] },
          },
        ],
      },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'list' } }] }, finishReason: 'STOP' }] },
    ],
    ids: ['g1', 'assay_call_1'],
  },
  ollama: {
    whole: {
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'score', arguments: values } }, { function: { name: 'list', arguments: {} } }],
      },
      done: true,
    },
    stream: [
      { message: { role: 'assistant', content: 'Let ' }, done: false },
      { message: { tool_calls: [{ function: { index: 0, name: 'score', arguments: values } }] }, done: false },
      { message: { tool_calls: [{ function: { index: 1, name: 'list', arguments: {} } }] }, done: true },
    ],
    ids: ['assay_call_0', 'assay_call_1'],
  },
  bedrock: {
    whole: {
      stopReason: 'tool_use',
      output: {
        message: {
          role: 'assistant',
          content: [
            { text: 'x' },
            { toolUse: { toolUseId: 't1', name: 'score', input: values } },
            { toolUse: { toolUseId: 't2', name: 'list', input: {} } },
          ],
        },
      },
    },
    stream: [
      { messageStart: { role: 'assistant' } },
      { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: 't1', name: 'score' } } } },
      ...halves.map((input) => ({ contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input } } } })),
      { contentBlockStop: { contentBlockIndex: 1 } },
      { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't2', name: 'list' } } } },
      { messageStop: { stopReason: 'tool_use' } },
    ],
    ids: ['t1', 't2'],
  },
  cohere: {
    whole: {
      message: {
        role: 'assistant',
        tool_plan: 'I will',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'score', arguments: text } },
          { id: 'c2', type: 'function', function: { name: 'list', arguments: 'null' } },
        ],
      },
    },
    stream: [
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will' } } },
      {
        type: 'tool-call-start',
        index: 0,
        delta: { message: { tool_calls: { id: 'c1', type: 'function', function: { name: 'score', arguments: '' } } } },
      },
      ...halves.map((part) => ({
        type: 'tool-call-delta',
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: part } } } },
      })),
      { type: 'tool-call-end', index: 0 },
      {
        type: 'tool-call-start',
        index: 1,
        delta: {
          message: { toolCalls: { id: 'c2', type: 'function', function: { name: 'list', arguments: 'null' } } },
        },
      },
    ],
    ids: ['c1', 'c2'],
  },
  mcp: {
    whole: [
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'score', arguments: values } },
      { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'list' } },
    ],
    stream: [
      { jsonrpc: '2.0', method: 'notifications/progress', params: {} },
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'score', arguments: values } },
      { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'list' } },
    ],
    ids: [7, 'x'],
  },
};
