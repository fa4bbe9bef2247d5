import type { Json, Recording } from './recording.ts';

const added = (output_index: number, item: Json): Json => ({
  type: 'response.output_item.added',
  output_index,
  item: { status: 'in_progress', ...item },
});
const done = (output_index: number, item: Json): Json => ({
  type: 'response.output_item.done',
  output_index,
  item: { status: 'completed', ...item },
});
const call = (n: number, args: string): Json => ({
  type: 'function_call',
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: 'score',
  arguments: args,
});
const argument = (n: number, output_index: number, text: string): Json => ({
  type: 'response.function_call_arguments.delta',
  item_id: `fc_${n}`,
  output_index,
  delta: text,
});
const created = (id: string): Json => ({
  type: 'response.created',
  response: { id, status: 'in_progress', output: [] },
});
const completed = (id: string, output: readonly Json[] = []): Json => ({
  type: 'response.completed',
  response: { id, status: 'completed', output },
});
const hosted = (type: string): Json => ({ type, id: `${type}_1`, name: 'anything', arguments: '{"q":1}', input: '{}' });
const HOSTED = ['web_search_call', 'file_search_call', 'code_interpreter_call', 'mcp_call', 'mcp_approval_request'];
const CLIENT = ['custom_tool_call', 'local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call'];

export const responsesRecordings: readonly Recording[] = [
  {
    rule: 'of all items only function_call is ours',
    provider: 'openai-responses',
    events: [
      created('r'),
      ...[...HOSTED, ...CLIENT].flatMap((type, index) => [
        added(index, hosted(type)),
        { type: `response.${type}_arguments.delta`, item_id: `${type}_1`, output_index: index, delta: '{"q":1}' },
        argument(99, index, '{"q":1}'),
        done(index, hosted(type)),
      ]),
      added(20, call(1, '')),
      argument(1, 20, '{"n":'),
      argument(1, 20, '1}'),
      done(20, call(1, '{"n":1}')),
      completed('r', [...HOSTED.map(hosted), call(1, '{"n":1}')]),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'several responses in one stream keep their calls',
    provider: 'openai-responses',
    events: [1, 2].flatMap((n) => [
      created(`r${n}`),
      added(0, call(n, '')),
      argument(n, 0, `{"n":${n}}`),
      done(0, call(n, `{"n":${n}}`)),
      completed(`r${n}`, [call(n, `{"n":${n}}`)]),
    ]),
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'an item may be done without a delta, change its id, and be missing in the end',
    provider: 'openai-responses',
    events: [
      created('r'),
      added(0, call(1, '')),
      done(0, { ...call(1, '{"n":1}'), id: 'other', call_id: 'call_9' }),
      added(1, { ...call(2, ''), id: undefined }),
      { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"n":2}' },
      completed('r'),
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'an item, or a response, that is incomplete is cut off',
    provider: 'openai-responses',
    events: [
      created('r'),
      done(0, call(1, '{"n":1}')),
      added(1, call(2, '')),
      argument(2, 1, '{}'),
      { type: 'response.incomplete', response: { id: 'r', status: 'incomplete', output: [] } },
      { status: 'incomplete', output: [call(3, '{"n":3}'), call(4, '{}')] },
      { status: 'completed', output: [{ ...call(5, '{}'), status: 'incomplete' }, call(6, '{}')] },
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', 'the model stopped before it was done'],
      ['score', { n: 3 }],
      ['score', 'the model stopped before it was done'],
      ['score', 'the model stopped before it was done'],
      ['score', {}],
    ],
  },
  {
    rule: 'the open form names what others add by a prefix',
    provider: 'open-responses',
    events: [
      created('r'),
      added(0, { type: 'reasoning', id: 'rs' }),
      { type: 'response.reasoning.delta', output_index: 0, item_id: 'rs', delta: '{"n":0}' },
      done(0, { type: 'reasoning', id: 'rs' }),
      done(1, hosted('acme:web_search_call')),
      added(2, call(1, '')),
      argument(1, 2, '{"n":1}'),
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 2, arguments: '{"n":1}' },
      done(2, call(1, '{"n":1}')),
      completed('r', [call(1, '{"n":1}')]),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'a call that a program makes is ours, done while it is in progress',
    provider: 'openai-responses',
    events: [
      done(0, { ...call(1, '{"n":1}'), status: 'in_progress', caller: { type: 'program', caller_id: 'call_p' } }),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'what a response has begun and not ended is no call, whatever stands for its arguments',
    provider: 'openai-responses',
    events: [
      { status: 'in_progress', output: [{ ...call(1, ''), status: 'in_progress' }] },
      { status: 'cancelled', output: [{ ...call(2, '{}'), status: 'in_progress' }] },
      created('r'),
      added(0, call(3, '{}')),
      { type: 'response.failed', response: { status: 'failed', output: [{ ...call(3, ''), status: 'in_progress' }] } },
      created('s'),
      added(0, call(4, '{}')),
    ],
    calls: [1, 2, 3, 4].map(() => ['score', 'the stream ended before they did'] as const),
  },
  {
    rule: 'two items of one response are two calls, also with one call_id',
    provider: 'openai-responses',
    events: [{ status: 'completed', output: [call(1, '{"n":1}'), { ...call(1, '{"n":2}'), id: 'fc_2' }] }],
    calls: [
      ['score', { n: 1 }],
      ['score', 'another call has the id call_1'],
    ],
  },
  {
    rule: 'response.done ends a response as response.completed does, or as its status says',
    provider: 'openai-responses',
    events: [
      created('r'),
      added(0, call(1, '')),
      argument(1, 0, '{"n":1}'),
      { type: 'response.done', response: { status: 'completed', output: [call(1, '{"n":1}'), call(2, '{"n":2}')] } },
      created('s'),
      added(0, call(3, '')),
      { type: 'response.done', response: { status: 'incomplete', output: [call(3, '{"n":3}')] } },
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
      ['score', 'the model stopped before it was done'],
    ],
  },
];
