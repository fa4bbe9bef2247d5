import type { Json, Recording } from './recording.ts';

const gemini = (functionCall: Json, finishReason?: string): Json => ({
  candidates: [{ content: { role: 'model', parts: [{ functionCall }] }, finishReason }],
  responseId: 'r',
});
const piece = (jsonPath: string, value: Json): Json =>
  gemini({ partialArgs: [{ jsonPath, ...value }], willContinue: true });

export const geminiRecordings: readonly Recording[] = [
  {
    rule: 'arguments that come value by value are put in their places',
    provider: 'gemini',
    events: [
      gemini({ name: 'list' }),
      gemini({ name: 'score', willContinue: true }),
      piece('$.boxes[0].left', { numberValue: 1.5 }),
      piece('$.boxes[0]["a b"]', { boolValue: false }),
      piece("$.boxes[1]['it\\'s']", { nullValue: 'NULL_VALUE' }),
      piece('$.text', { stringValue: 'long ', willContinue: true }),
      piece('$.text', { stringValue: 'enough', willContinue: true }),
      piece('$.text', { stringValue: '' }),
      gemini({ willContinue: true }),
      piece('$.__proto__.x', { stringValue: 'own' }),
      gemini({}),
      gemini({ name: 'score', willContinue: true }),
      gemini({ name: 'score', partialArgs: [{ jsonPath: '$.n', numberValue: 2 }] }),
      gemini({ name: 'score', args: { n: 1 } }, 'STOP'),
    ],
    calls: [
      ['list', {}],
      [
        'score',
        {
          boxes: [{ left: 1.5, 'a b': false }, { "it's": null }],
          text: 'long enough',
          ...JSON.parse('{"__proto__":{"x":"own"}}'),
        },
      ],
      ['score', { n: 2 }],
      ['score', { n: 1 }],
    ],
  },
  {
    rule: 'a call that was to go on and did not is an error',
    provider: 'gemini',
    events: [
      gemini({ name: 'score', willContinue: true }),
      piece('$.n', { numberValue: 1 }),
      gemini({ name: 'list', willContinue: true }),
      gemini({ willContinue: true }, 'STOP'),
      gemini({ name: 'score', willContinue: true }),
      piece('$.text', { stringValue: 'half', willContinue: true }),
      gemini({}),
      gemini({ name: 'score', willContinue: true }),
    ],
    calls: [
      ['score', 'not read completely'],
      ['list', 'the model stopped inside the arguments'],
      ['score', 'the text at $.text was not finished'],
      ['score', 'the stream ended before they did'],
    ],
  },
  {
    rule: 'a value that has no place makes the call an error',
    provider: 'gemini',
    events: ['$.list[1]', 'n', '$', '$..n', '$.*', `$${'.a'.repeat(300)}`].flatMap((path) => [
      gemini({ name: 'score', willContinue: true }),
      piece(path, { numberValue: 1 }),
      gemini({}),
    ]),
    calls: Array.from({ length: 6 }, () => ['score', 'could not be placed'] as const),
  },
  {
    rule: 'a reason other than STOP cuts off the last call',
    provider: 'gemini',
    events: [gemini({ name: 'list' }), gemini({ name: 'score', args: {} }, 'MALFORMED_FUNCTION_CALL')],
    calls: [
      ['list', {}],
      ['score', 'the reason MALFORMED_FUNCTION_CALL'],
    ],
  },
  {
    rule: 'the Live API sends calls in a list',
    provider: 'gemini',
    events: [{ toolCall: { functionCalls: [{ id: 'a', name: 'score', args: { n: 1 } }] } }],
    calls: [['score', { n: 1 }]],
  },
  ...['gemini', 'gemini-interactions'].map((provider) => ({
    rule: 'steps of an interaction that Google runs are not ours',
    provider,
    events: [
      { event_type: 'interaction.created', interaction: { id: 'v1', status: 'in_progress' } },
      { event_type: 'step.start', index: 0, step: { type: 'google_search_call', id: 's' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'google_search_call', arguments: { queries: ['x'] } } },
      { event_type: 'step.delta', index: 0, delta: { type: 'arguments_delta', arguments: '{"n":9}' } },
      { event_type: 'step.stop', index: 0 },
      { event_type: 'step.start', index: 1, step: { type: 'function_call', id: 'a', name: 'score', arguments: {} } },
      { event_type: 'step.delta', index: 1, delta: { type: 'arguments_delta', arguments: '{"n":' } },
      { event_type: 'step.delta', index: 1, delta: { type: 'arguments_delta', arguments: '1}' } },
      { event_type: 'step.stop', index: 1 },
      { event_type: 'step.start', index: 2, step: { type: 'function_call', id: 'b', name: 'list' } },
      { event_type: 'step.stop', index: 2 },
      { event_type: 'interaction.completed', interaction: { status: 'requires_action' } },
      {
        object: 'interaction',
        status: 'requires_action',
        steps: [
          { type: 'thought', signature: 'c2ln' },
          { type: 'mcp_server_tool_call', id: 'm', name: 'echo', arguments: {} },
          { type: 'function_call', id: 'c', name: 'score', arguments: { n: 3 } },
        ],
      },
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', {}],
      ['score', { n: 3 }],
    ] as const,
  })),
  {
    rule: 'an interaction that ended early cuts off its last call',
    provider: 'gemini-interactions',
    events: [
      { event_type: 'step.start', index: 0, step: { type: 'function_call', id: 'a', name: 'list' } },
      { event_type: 'step.stop', index: 0 },
      { event_type: 'step.start', index: 1, step: { type: 'function_call', id: 'b', name: 'list' } },
      { event_type: 'interaction.completed', interaction: { status: 'incomplete' } },
    ],
    calls: [
      ['list', {}],
      ['list', 'the interaction ended as incomplete'],
    ],
  },
  {
    rule: 'the end of an interaction brings the steps that the stream did not',
    provider: 'gemini-interactions',
    events: [
      { event_type: 'step.start', index: 0, step: { type: 'function_call', id: 'a', name: 'score', arguments: {} } },
      { event_type: 'step.delta', index: 0, delta: { type: 'arguments_delta', arguments: '{"n":1}' } },
      { event_type: 'step.stop', index: 0 },
      {
        event_type: 'interaction.completed',
        interaction: {
          status: 'requires_action',
          steps: ['a', 'b'].map((id) => ({ type: 'function_call', id, name: 'score', arguments: { n: 1 } })),
        },
      },
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 1 }],
    ],
  },
  {
    rule: 'an interaction that goes on has no complete call',
    provider: 'gemini-interactions',
    events: [{ status: 'in_progress', steps: [{ type: 'function_call', id: 'a', name: 'score', arguments: {} }] }],
    calls: [['score', 'the stream ended before they did']],
  },
  {
    rule: 'parts are read in the spelling of the Python SDK too',
    provider: 'gemini',
    events: [
      { candidates: [{ content: { parts: [{ function_call: { name: 'score', args: { n: 1 } } }] } }] },
      { candidates: [{ content: { parts: [{ function_call: { name: 'list' } }] }, finish_reason: 'MAX_TOKENS' }] },
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', 'the reason MAX_TOKENS'],
    ],
  },
  {
    rule: 'a status by itself ends no call, and one of failure cuts off the last',
    provider: 'gemini-interactions',
    events: [
      { event_type: 'interaction.created', interaction: { id: 'v1', status: 'in_progress' } },
      { event_type: 'interaction.status_update', interaction_id: 'v1', status: 'in_progress' },
      { event_type: 'step.start', index: 0, step: { type: 'function_call', id: 'a', name: 'list' } },
      { event_type: 'interaction.status_update', interaction_id: 'v1', status: 'requires_action' },
      { event_type: 'interaction.created', interaction: { id: 'v2', status: 'in_progress' } },
      { event_type: 'step.start', index: 0, step: { type: 'function_call', id: 'b', name: 'score' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'arguments_delta', arguments: '{"n":1}' } },
      { event_type: 'interaction.status_update', interaction_id: 'v2', status: 'cancelled' },
    ],
    calls: [
      ['list', 'the stream ended before they did'],
      ['score', 'the interaction ended as cancelled'],
    ],
  },
];
