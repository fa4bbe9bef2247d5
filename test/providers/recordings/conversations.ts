import type { Json, Recording } from './recording.ts';

const started = { type: 'conversation.response.started', conversation_id: 'conv_1' };
const done = { type: 'conversation.response.done', usage: { prompt_tokens: 1, completion_tokens: 1 } };
const part = (call: string, name: string, args: unknown, more: Json = {}): Json => ({
  type: 'function.call.delta',
  id: `fc_${call}`,
  output_index: 0,
  name,
  tool_call_id: call,
  arguments: args,
  ...more,
});
const entry = (call: string, name: string, args: unknown, more: Json = {}): Json => ({
  object: 'entry',
  type: 'function.call',
  id: `fc_${call}`,
  tool_call_id: call,
  name,
  arguments: args,
  ...more,
});

/** Mistral's conversations. */
export const conversationRecordings: readonly Recording[] = [
  {
    rule: 'entries of a conversation have their arguments as text or as an object, and only functions are ours',
    provider: 'mistral',
    events: [
      {
        object: 'conversation.response',
        conversation_id: 'conv_1',
        outputs: [
          { object: 'entry', type: 'tool.execution', id: 'te_1', name: 'web_search', arguments: '{"query":"x"}' },
          { object: 'entry', type: 'agent.handoff', id: 'ah_1', previous_agent_id: 'a', next_agent_id: 'b' },
          { object: 'entry', type: 'message.output', id: 'mo_1', role: 'assistant', content: 'so' },
          entry('abcdefgh1', 'score', '{"n":1}'),
          entry('abcdefgh2', 'score', { n: 2 }),
          entry('abcdefgh3', 'list', ''),
        ],
      },
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
      ['list', {}],
    ],
  },
  {
    rule: 'the calls of a conversation grow in turns, each under its own id',
    provider: 'mistral',
    events: [
      started,
      { type: 'message.output.delta', id: 'mo_1', output_index: 0, content: 'so', role: 'assistant' },
      { type: 'tool.execution.started', id: 'te_1', output_index: 1, name: 'web_search', arguments: '' },
      { type: 'tool.execution.delta', id: 'te_1', output_index: 1, name: 'web_search', arguments: '{"query":"x"}' },
      part('abcdefgh1', 'score', '{"n"'),
      part('abcdefgh2', 'score', ''),
      part('abcdefgh1', 'score', ':1}'),
      part('abcdefgh2', 'score', '{"n":2}'),
      part('abcdefgh3', 'list', ''),
      done,
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', { n: 2 }],
      ['list', {}],
    ],
  },
  {
    rule: 'the SDK writes events of a conversation in its own case, and several responses are read apart',
    provider: 'mistral',
    events: [started, done, started].flatMap((data, at) => [
      { event: data.type, data },
      ...(at === 1
        ? []
        : [
            {
              event: 'function.call.delta',
              data: {
                type: 'function.call.delta',
                id: 'fc_1',
                outputIndex: 0,
                name: 'score',
                toolCallId: `abcdefgh${at}`,
                arguments: `{"n":${at}}`,
              },
            },
          ]),
    ]),
    calls: [
      ['score', { n: 0 }],
      ['score', { n: 2 }],
    ],
  },
  {
    rule: 'a call that awaits a confirmation is run by Mistral',
    provider: 'mistral',
    events: [
      started,
      part('abcdefgh1', 'gmail_send', '{"to"', { confirmation_status: 'pending' }),
      part('abcdefgh1', 'gmail_send', ':"x"}'),
      part('abcdefgh2', 'score', '{"n":1}', { confirmation_status: null }),
      done,
      { outputs: [entry('abcdefgh3', 'gmail_send', '{}', { confirmation_status: 'pending' })] },
    ],
    calls: [['score', { n: 1 }]],
  },
  {
    rule: 'an error of a conversation leaves incomplete calls incomplete',
    provider: 'mistral',
    events: [
      started,
      part('abcdefgh1', 'score', '{"n":1}'),
      part('abcdefgh2', 'score', '{"n":'),
      part('abcdefgh3', 'list', ''),
      { type: 'conversation.response.error', code: 500, message: 'the server had an error' },
    ],
    calls: [
      ['score', { n: 1 }],
      ['score', 'not read completely'],
      ['list', 'not read completely'],
    ],
  },
];
