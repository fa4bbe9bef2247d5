import type { Json, Recording } from './recording.ts';

const start = (index: number, block: Json): Json => ({
  type: 'content_block_start',
  index,
  content_block: { id: `toolu_${index}`, input: {}, ...block },
});
const grow = (index: number, ...parts: readonly string[]): readonly Json[] =>
  parts.map((partial_json) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json },
  }));
const stop = (index: number): Json => ({ type: 'content_block_stop', index });
const message = (id: string): Json => ({ type: 'message_start', message: { id, role: 'assistant', content: [] } });
const stopped = (stop_reason: string): readonly Json[] => [
  { type: 'message_delta', delta: { stop_reason } },
  { type: 'message_stop' },
];
const use = (index: number, id: string, name = 'score'): Json => start(index, { type: 'tool_use', id, name });

export const anthropicRecordings: readonly Recording[] = [
  {
    rule: 'blocks that the provider runs grow by the same deltas and are not ours',
    provider: 'anthropic',
    events: [
      message('m'),
      start(0, { type: 'server_tool_use', name: 'web_search' }),
      ...grow(0, '', '{"query":"image ', 'quality"}'),
      stop(0),
      start(1, { type: 'web_search_tool_result', tool_use_id: 'toolu_0', content: [] }),
      stop(1),
      start(2, { type: 'mcp_tool_use', name: 'echo', server_name: 'echo' }),
      ...grow(2, '{"message":"hi"}'),
      stop(2),
      use(3, 'toolu_a'),
      ...grow(3, '', '{"image_key":', '"a.png"}'),
      stop(3),
      ...stopped('tool_use'),
    ],
    calls: [['score', { image_key: 'a.png' }]],
  },
  {
    rule: 'each message of a stream has indices of its own',
    provider: 'anthropic',
    events: [
      message('m1'),
      use(0, 'toolu_a'),
      ...grow(0, '{"n":', '1}'),
      stop(0),
      ...stopped('tool_use'),
      message('m2'),
      use(0, 'toolu_b', 'list'),
      ...grow(0, '{"n":', '2}'),
      stop(0),
      ...stopped('tool_use'),
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', { n: 2 }],
    ],
  },
  {
    rule: 'two messages of one id are two messages, and a call id that comes twice runs once',
    provider: 'anthropic',
    events: [
      message('m'),
      use(0, 'toolu_a'),
      ...grow(0, '{"n":1}'),
      stop(0),
      ...stopped('tool_use'),
      message('m'),
      use(0, 'toolu_a'),
      ...grow(0, '{"n":2}'),
      stop(0),
      use(1, 'toolu_b'),
      ...grow(1, '{"n":3}'),
      stop(1),
      ...stopped('tool_use'),
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', 'another call has the id toolu_a'],
      ['score', { n: 3 }],
    ],
  },
  {
    rule: 'blocks may grow in turns',
    provider: 'anthropic',
    events: [
      message('m'),
      use(0, 'toolu_a'),
      use(1, 'toolu_b', 'list'),
      ...grow(0, '{"a":'),
      ...grow(1, '{"b":'),
      ...grow(0, '1}'),
      ...grow(1, '2}'),
      stop(1),
      stop(0),
      ...stopped('tool_use'),
    ],
    calls: [
      ['score', { a: 1 }],
      ['list', { b: 2 }],
    ],
  },
  {
    rule: 'a call from code comes whole at its start',
    provider: 'anthropic',
    events: [
      message('m'),
      start(0, { type: 'server_tool_use', name: 'code_execution' }),
      ...grow(0, '{"code":"score()"}'),
      stop(0),
      start(1, {
        type: 'tool_use',
        name: 'score',
        input: { n: 1 },
        caller: { type: 'code_execution_20260120', tool_id: 'toolu_0' },
      }),
      stop(1),
      ...stopped('tool_use'),
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'members of the provider’s own toolsets are not ours',
    provider: 'anthropic',
    events: [
      {
        content: [
          { type: 'tool_use', id: 'a', name: 'left_click', toolset_name: 'browser', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'list', toolset_name: null, input: {} },
        ],
        stop_reason: 'tool_use',
      },
    ],
    calls: [['list', {}]],
  },
  {
    rule: 'the last call of a message that reached max_tokens is cut off, also when it can be read',
    provider: 'anthropic',
    events: [
      message('m'),
      use(0, 'toolu_a'),
      ...grow(0, '{"n":1}'),
      stop(0),
      use(1, 'toolu_b', 'list'),
      ...grow(1, ''),
      stop(1),
      ...stopped('max_tokens'),
      {
        content: [
          { type: 'tool_use', id: 'c', name: 'list', input: {} },
          { type: 'tool_use', id: 'd', name: 'score', input: { n: 2 } },
        ],
        stop_reason: 'max_tokens',
      },
      {
        content: [
          { type: 'tool_use', id: 'e', name: 'list', input: {} },
          { type: 'text', text: 'and then' },
        ],
        stop_reason: 'max_tokens',
      },
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', 'not read completely: the model reached max_tokens'],
      ['list', {}],
      ['score', 'not read completely: the model reached max_tokens'],
      ['list', {}],
    ],
  },
  {
    rule: 'where another model takes over, the call of the first one is cut off',
    provider: 'anthropic',
    events: [
      {
        content: [
          { type: 'tool_use', id: 'a', name: 'score', input: {} },
          { type: 'fallback', from: {}, to: {} },
          { type: 'tool_use', id: 'b', name: 'list', input: {} },
        ],
        stop_reason: 'tool_use',
      },
    ],
    calls: [
      ['score', 'another model took over'],
      ['list', {}],
    ],
  },
  {
    rule: 'a stream that ends inside the arguments, or before they came',
    provider: 'anthropic',
    events: [message('m'), use(0, 'toolu_a'), ...grow(0, '{"image_key":"a.'), use(1, 'toolu_b', 'list')],
    calls: [
      ['score', 'not read completely: the stream ended inside them'],
      ['list', 'not read completely: the stream ended before they did'],
    ],
  },
  {
    rule: 'pings and events that nobody knows change nothing, and an error cuts off the call under way',
    provider: 'anthropic',
    events: [
      message('m'),
      { type: 'ping' },
      use(0, 'toolu_a'),
      ...grow(0, '{"n":'),
      { type: 'an_event_of_next_year', index: 0 },
      { type: 'ping' },
      ...grow(0, '1}'),
      { type: 'content_block_stop', index: 0 },
      use(1, 'toolu_b', 'list'),
      ...grow(1, '{"n":'),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    calls: [
      ['score', { n: 1 }],
      ['list', 'not read completely'],
    ],
  },
];
