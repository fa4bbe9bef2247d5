import type { Recording } from './recording.ts';

export const otherRecordings: readonly Recording[] = [
  {
    rule: 'tools of the system are run by Bedrock',
    provider: 'bedrock',
    events: [
      { messageStart: { role: 'assistant' } },
      {
        contentBlockStart: {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: 's', name: 'nova_grounding', type: 'server_tool_use' } },
        },
      },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"q":1}' } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: 't', name: 'score' } } } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: '{"n":1}' } } } },
      { contentBlockStop: { contentBlockIndex: 1 } },
      { messageStop: { stopReason: 'tool_use' } },
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'Bedrock says when a call is malformed',
    provider: 'bedrock',
    events: [
      {
        output: { message: { content: [{ toolUse: { toolUseId: 't', name: 'score', input: {} } }] } },
        stopReason: 'malformed_tool_use',
      },
    ],
    calls: [['score', 'the model made a malformed call']],
  },
  {
    rule: 'Cohere ends a call without arguments',
    provider: 'cohere',
    events: [
      { type: 'message-start', delta: { message: { tool_calls: [] } } },
      {
        type: 'tool-call-start',
        index: 0,
        delta: { message: { tool_calls: { id: 'a', function: { name: 'list', arguments: '' } } } },
      },
      { type: 'tool-call-end', index: 0 },
      {
        type: 'tool-call-start',
        index: 1,
        delta: { message: { tool_calls: { id: 'b', function: { name: 'list', arguments: '' } } } },
      },
      { type: 'message-end', delta: { finish_reason: 'MAX_TOKENS' } },
    ],
    calls: [
      ['list', {}],
      ['list', 'the model reached its limit of tokens'],
    ],
  },
  {
    rule: 'Ollama says when it stopped for length',
    provider: 'ollama',
    events: [
      { message: { tool_calls: [{ function: { name: 'list', arguments: {} } }] }, done: false },
      { message: { tool_calls: [{ function: { name: 'score', arguments: {} } }] }, done: false },
      { message: {}, done: true, done_reason: 'length' },
    ],
    calls: [
      ['list', {}],
      ['score', 'the model reached its limit of tokens'],
    ],
  },
  {
    rule: 'an exception in Bedrock’s stream cuts off the call under way',
    provider: 'bedrock',
    events: [
      { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'score' } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"n":' } } } },
      { throttlingException: { message: 'Too many requests' } },
    ],
    calls: [['score', 'not read completely']],
  },
  {
    rule: 'InvokeModel gives the events of Claude, and what cannot be read cuts off the call under way',
    provider: 'bedrock',
    events: [
      ...[
        { type: 'message_start', message: { content: [] } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'a', name: 'score', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: '{"city":"Zürich"}' },
        },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'server_tool_use', id: 's', name: 'web', input: {} },
        },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"q":1}' } },
        {
          type: 'content_block_start',
          index: 2,
          content_block: { type: 'tool_use', id: 'b', name: 'list', input: {} },
        },
        { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"n"' } },
      ].map((event) => ({ chunk: { bytes: Buffer.from(JSON.stringify(event)).toString('base64') } })),
      { chunk: { bytes: 'not base64!' } },
    ],
    calls: [
      ['score', { city: 'Zürich' }],
      ['list', 'a part of the stream could not be read'],
    ],
  },
  {
    rule: 'InvokeModel’s whole answer is Claude’s own',
    provider: 'bedrock',
    events: [
      {
        type: 'message',
        content: [
          { type: 'text', text: 'so' },
          { type: 'tool_use', id: 'a', name: 'score', input: { n: 1 } },
        ],
        stop_reason: 'tool_use',
      },
    ],
    calls: [['score', { n: 1 }]],
  },
];
