import type { Json, Recording } from './recording.ts';

const delta = (call: Json, finish_reason: string | null = null, id = 'x'): Json => ({
  id,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason }],
});
const finished = (finish_reason: string): Json => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
const part = (index: number | undefined, args: string | null, named: Json = {}): Json => ({
  index,
  ...('id' in named ? { id: named.id, type: 'function' } : {}),
  function: { ...('name' in named ? { name: named.name } : {}), arguments: args },
});

const earlier = (function_call: Json, finish_reason: string | null = null): Json => ({
  choices: [{ index: 0, delta: { function_call }, finish_reason }],
});

export const chatRecordings: readonly Recording[] = [
  {
    rule: 'the first index need not be 0, and the first arguments may be null',
    provider: 'openai',
    events: [
      delta(part(1, null, { id: 'a', name: 'score' })),
      delta(part(1, '{"n"')),
      delta(part(1, ':1}')),
      finished('tool_calls'),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'calls under one index are told apart by their ids',
    provider: 'openai',
    events: [
      delta(part(0, '{"n":1}', { id: 'a', name: 'score' })),
      delta(part(0, '{"n":', { id: 'b', name: 'score' })),
      delta(part(0, '2}', { id: 'b', name: 'score' })),
      finished('stop'),
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'a fragment without a name goes on with its call, whatever its id',
    provider: 'openai',
    events: [
      delta(part(0, '{"n"', { id: 'a', name: 'score' })),
      delta(part(0, ':1}', { id: 'b' })),
      finished('tool_calls'),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'several completions in one stream keep their arguments',
    provider: 'openai',
    events: [
      delta(part(0, '', { id: 'a', name: 'list' })),
      finished('tool_calls'),
      delta(part(0, '', { id: 'b', name: 'score' }), null, 'y'),
      delta(part(0, '{"n":2}'), null, 'y'),
      finished('tool_calls'),
    ],
    calls: [
      ['list', {}],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'custom tools and tools that the provider runs are not ours',
    provider: 'openai',
    events: [
      delta({ index: 0, id: 'a', type: 'custom', custom: { name: 'write_sql', input: '' } }),
      delta({ index: 0, custom: { input: 'SELECT 1' } }),
      delta({ index: 1, id: 'b', type: 'builtin_function', function: { name: '$web_search', arguments: '{' } }),
      delta(part(1, '}')),
      delta(part(2, '{"n":1}', { id: 'c', name: 'score' })),
      finished('tool_calls'),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'another choice is no call',
    provider: 'openai',
    events: [
      {
        choices: [
          { index: 1, message: { tool_calls: [part(undefined, '{"n":9}', { id: 'z', name: 'score' })] } },
          { index: 0, message: { tool_calls: [part(undefined, '{"n":1}', { id: 'a', name: 'score' })] } },
        ],
      },
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'the last call of a completion that was too long is cut off',
    provider: 'openai',
    events: [
      delta(part(0, '{"n":1}', { id: 'a', name: 'score' })),
      delta(part(1, '', { id: 'b', name: 'list' })),
      finished('length'),
      {
        choices: [
          {
            message: { tool_calls: [part(undefined, '', { id: 'c', name: 'list' })] },
            finish_reason: 'content_filter',
          },
        ],
      },
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', 'not read completely: the model reached its limit'],
      ['list', 'not read completely: a content filter'],
    ],
  },
  {
    rule: 'without an end, a call without arguments may have lost them, and a complete one has not',
    provider: 'openai',
    events: [
      delta(part(0, '{"n":1}', { id: 'a', name: 'score' })),
      delta(part(1, '', { id: 'b', name: 'list' })),
      delta(part(2, '{"n":', { id: 'c', name: 'score' })),
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', 'the stream ended before they did'],
      ['score', 'the stream ended inside them'],
    ],
  },
  {
    rule: 'calls without index and id are told apart by their names',
    provider: 'mistral',
    events: [
      delta(part(undefined, '{"n":1}', { id: 'null', name: 'score' })),
      delta(part(undefined, '{"n":2}', { id: 'null', name: 'score' }), 'tool_calls'),
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'parallel calls grow in turns, and an error in the stream cuts off the one under way',
    provider: 'openai',
    events: [
      delta(part(0, '', { id: 'a', name: 'score' })),
      delta(part(1, '{"n"', { id: 'b', name: 'list' })),
      delta(part(0, '{"n":1}')),
      { error: { message: 'the server had an error', type: 'server_error' } },
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', 'not read completely'],
    ],
  },
  {
    rule: 'the earlier function_call is one call a message, and grows without id and index',
    provider: 'openai',
    events: [
      earlier({ name: 'score', arguments: '' }),
      earlier({ arguments: '{"n"' }),
      earlier({ arguments: ':1}' }),
      finished('function_call'),
      earlier({ name: 'score', arguments: '{"n":2}' }),
      finished('function_call'),
      earlier({ name: 'list', arguments: '' }),
      finished('stop'),
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
      ['list', {}],
    ],
  },
  {
    rule: 'the earlier function_call in a whole message, and beside tool_calls that say the same',
    provider: 'openai',
    events: [
      { choices: [{ message: { function_call: { name: 'score', arguments: '{"n":1}' } } }] },
      {
        choices: [
          {
            message: {
              function_call: { name: 'score', arguments: '{"n":2}' },
              tool_calls: [part(undefined, '{"n":2}', { id: 'a', name: 'score' })],
            },
          },
        ],
      },
      { choices: [{ message: { function_call: null, content: 'so' } }] },
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'an earlier function_call that a limit cut off is not complete',
    provider: 'openai',
    events: [earlier({ name: 'score', arguments: '{"n":1}' }), finished('length')],
    calls: [['score', 'the model reached its limit of tokens']],
  },
  {
    rule: 'an earlier function_call whose end is missing is not complete',
    provider: 'openrouter',
    events: [earlier({ name: 'score', arguments: '{"n":' }), earlier({ arguments: '1' })],
    calls: [['score', 'the stream ended inside them']],
  },
];
