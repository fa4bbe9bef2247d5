import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatResults,
  type ModelCall,
  nameTable,
  parseCalls,
  providerNames,
  unwrapCall,
} from '../../shared/providers/index.ts';
import { cpuRatio } from '../support/cpu-time.ts';
import { tries } from '../support/sampling.ts';
import { chunk, halves, samples, text, values } from './support/responses.ts';
import { aTool } from './support/tools.ts';

const names = ['score', 'list'];
const MEGABYTES = tries(2, 10);
const PARTS = 50;
const shown = (calls: readonly ModelCall[]): unknown =>
  calls.map(({ id, name, arguments: args, error }) => ({ id, name, args, ...(error ? { error } : {}) }));

describe('calls in a model’s response', () => {
  for (const provider of providerNames) {
    const { whole, stream, ids } = samples[provider];
    const expected = [
      { id: ids[0], name: 'score', args: values },
      { id: ids[1], name: 'list', args: {} },
    ];

    test(`the calls of ${provider} are parsed from a whole response`, () =>
      assert.deepEqual(shown(parseCalls(provider, whole, { names })), expected));
    test(`the calls of ${provider} are parsed from a stream`, () =>
      assert.deepEqual(shown(parseCalls(provider, stream, { names })), expected));
    test(`the calls of ${provider} are parsed from the text of a response`, () => {
      assert.deepEqual(shown(parseCalls(provider, JSON.stringify(whole), { names })), expected);
      const lines = stream.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');
      assert.deepEqual(shown(parseCalls(provider, `${lines}data: [DONE]\n`, { names })), expected);
    });
  }

  test('a Gemini call keeps its thought signature', () => {
    assert.equal(parseCalls('gemini', samples.gemini.whole)[0]?.thought_signature, 'c2ln');
  });

  test('the last complete response in a stream is the one that counts', () => {
    const { whole, stream } = samples['openai-responses'];
    const events = [...stream.slice(0, 2), { type: 'response.completed', response: whole }];

    assert.equal(parseCalls('openai-responses', events).length, 2);
  });

  test('fragments without an index belong to the previous call', () => {
    const parts = [
      chunk([{ id: 'call_1', function: { name: 'score', arguments: '' } }]),
      ...halves.map((part) => chunk([{ function: { arguments: part } }])),
    ];

    assert.deepEqual(parseCalls('openrouter', parts)[0]?.arguments, values);
  });

  test('text without calls, and values that are not responses, have no calls', () => {
    for (const provider of providerNames) {
      for (const nothing of [
        undefined,
        null,
        3,
        '',
        'hello',
        [],
        {},
        [null, 1],
        { choices: [] },
        { content: 'hi' },
        { choices: [{ message: { content: 'hi' } }] },
      ]) {
        assert.deepEqual(parseCalls(provider, nothing), []);
      }
    }
  });

  test('arguments are restored to the tool’s own form when the tool is known', () => {
    const tool = aTool();
    const response = {
      choices: [
        {
          message: {
            tool_calls: [
              { id: 'c', function: { name: 'score', arguments: '{"image_key":"k","metric":"niqe","resize":null}' } },
            ],
          },
        },
      ],
    };

    const [call] = parseCalls('openai', response, { names, tool: (name) => (name === tool.name ? tool : undefined) });

    assert.deepEqual(call?.arguments, { image_key: 'k', metric: 'niqe' });
  });
});

describe('malformed model output', () => {
  const calls = (list: readonly unknown[]): unknown => ({ choices: [{ message: { tool_calls: list } }] });
  const one = (id: unknown, name: unknown, args: unknown): unknown => ({ id, function: { name, arguments: args } });

  test('a call that cannot be parsed carries an error, and the others are kept', () => {
    const parsed = parseCalls(
      'openai',
      calls([
        one('1', 'score', '{"image_key": '),
        one('2', 'nothing_like_it', '{}'),
        one('3', 'score', null),
        one('4', 'score', '[1]'),
        one('5', 'score', text),
        one('5', 'score', text),
        one('6', '', '{}'),
        one('7', 'score', '3'),
        null,
        one('8', 'list', '{}'),
      ]),
      { names },
    );

    assert.deepEqual(
      parsed.map(({ id, error }) => [id, error?.code]),
      [
        ['1', 'InvalidInput'],
        ['2', 'NotFound'],
        ['3', 'InvalidInput'],
        ['4', 'InvalidInput'],
        ['5', undefined],
        ['5', 'Conflict'],
        ['6', 'InvalidInput'],
        ['7', 'InvalidInput'],
        ['8', undefined],
      ],
    );
    assert.match(parsed[0]?.error?.message ?? '', /the arguments for score are not JSON: \{"image_key": /);
    assert.match(parsed[1]?.error?.message ?? '', /there is no tool nothing_like_it/);
    assert.match(parsed[2]?.error?.message ?? '', /are null/);
    assert.deepEqual(parsed[4]?.arguments, values);
  });

  test('null and non-objects are errors for every provider, except Cohere’s null', () => {
    for (const provider of providerNames) {
      const swap = (bad: unknown): unknown =>
        JSON.parse(
          JSON.stringify(samples[provider].whole)
            .replaceAll(JSON.stringify(text), JSON.stringify(bad))
            .replaceAll(text, JSON.stringify(bad)),
        );

      const [none, list] = parseCalls(provider, swap(null), { names });
      assert.equal(none?.error?.code, provider === 'cohere' ? undefined : 'InvalidInput', provider);
      assert.equal(list?.error, undefined);
      assert.equal(parseCalls(provider, swap([1]), { names })[0]?.error?.code, 'InvalidInput', provider);
    }
  });

  test('the name of a prototype property is an unknown tool', () => {
    const [call] = parseCalls('openai', calls([one('1', '__proto__', '{}'), one('2', 'constructor', '{}')]), { names });

    assert.equal(call?.error?.code, 'NotFound');
  });

  test('generated call ids never equal given ones', () => {
    const parsed = parseCalls('ollama', {
      message: {
        tool_calls: [
          { id: 'assay_call_1', function: { name: 'score', arguments: {} } },
          { function: { name: 'list', arguments: {} } },
        ],
      },
    });

    assert.equal(new Set(parsed.map(({ id }) => id)).size, 2);
    assert.ok(parsed.every(({ error }) => error === undefined));
  });

  test(`${MEGABYTES} megabytes of fragments are assembled in linear time`, async () => {
    const long = JSON.stringify({ image_key: 'x'.repeat(MEGABYTES * 1_000_000), metric: 'niqe' });
    const fragments = (size: number): unknown[] => {
      const parts: unknown[] = [chunk([{ index: 0, id: 'a', function: { name: 'score', arguments: '' } }])];
      for (let at = 0; at < size; at += 20)
        parts.push(chunk([{ index: 0, function: { arguments: long.slice(at, Math.min(at + 20, size)) } }]));
      return parts;
    };
    const parse = (events: readonly unknown[]) => parseCalls('openai', events, { names });
    const [short, whole] = [fragments(long.length / PARTS), fragments(long.length)];

    const [call] = parse(whole);
    const ratio = await cpuRatio(
      () => {
        for (let part = 0; part < PARTS; part++) parse(short);
      },
      () => parse(whole),
    );

    assert.equal(String(call?.arguments.image_key).length, MEGABYTES * 1_000_000);
    // In quadratic time it would be the number of parts.
    assert.ok(ratio < PARTS / 5, `one long stream took ${ratio.toFixed(1)} times as long as ${PARTS} short ones`);
  });

  test('many calls of unknown tools each get an error', () => {
    const list = Array.from({ length: 1000 }, (_, index) => one(`id${index}`, `tool_${index}`, '{'));

    const parsed = parseCalls('openai', calls(list), { names: nameTable('openai', names) });

    assert.equal(parsed.length, 1000);
    assert.ok(parsed.every(({ error }) => error?.code === 'NotFound'));
  });
});

describe('calls in search mode', () => {
  const ask = (inner: unknown): unknown => ({
    content: [{ type: 'tool_use', id: 't', name: 'call_tool', input: inner }],
  });

  test('find_tools and call_tool are always known names', () => {
    const [call] = parseCalls('anthropic', ask({ name: 'score', arguments: values }), { names });

    assert.equal(call?.error, undefined);
    assert.deepEqual(call && unwrapCall(call), { name: 'score', arguments: values });
    assert.deepEqual(unwrapCall({ name: 'list', arguments: {} }), { name: 'list', arguments: {} });
  });

  test('the arguments of call_tool may be text, or absent', () => {
    assert.deepEqual(unwrapCall({ name: 'call_tool', arguments: { name: 'score', arguments: text } }), {
      name: 'score',
      arguments: values,
    });
    assert.deepEqual(unwrapCall({ name: 'call_tool', arguments: { name: 'list' } }), { name: 'list', arguments: {} });
  });

  test('call_tool with an unknown tool, or none, carries an error', () => {
    assert.equal(parseCalls('anthropic', ask({ name: 'other', arguments: {} }), { names })[0]?.error?.code, 'NotFound');
    assert.equal(parseCalls('anthropic', ask({ arguments: {} }), { names })[0]?.error?.code, 'InvalidInput');
    assert.equal(
      parseCalls('anthropic', ask({ name: 'score', arguments: '[' }), { names })[0]?.error?.code,
      'InvalidInput',
    );
  });
});

describe('results for the provider', () => {
  test('an unknown provider is refused for calls and results too', () => {
    assert.throws(() => parseCalls('nobody', {}), { name: 'InvalidInput' });
    assert.throws(() => formatResults('nobody', []), { name: 'InvalidInput' });
  });

  test('a generated call id is not sent back', () => {
    const [message] = formatResults('gemini', [{ id: 'assay_call_0', name: 'score', output: 3 }]) as {
      parts: { functionResponse: object }[];
    }[];

    assert.deepEqual(message?.parts[0]?.functionResponse, { name: 'score', response: { output: 3 } });
  });

  test('the result of an old function_call is returned by name, and says when it is an error', () => {
    const asked = { function_call: { name: 'score', arguments: text } };
    for (const provider of ['openai', 'openrouter'])
      for (const part of ['message', 'delta']) {
        const answer = { choices: [{ [part]: asked, finish_reason: 'function_call' }] };
        const [call] = parseCalls(provider, answer, { names });
        assert.ok(call && !call.error);

        assert.deepEqual(formatResults(provider, [{ ...call, output: 3 }]), [
          { role: 'function', name: 'score', content: '3' },
        ]);
        assert.deepEqual(formatResults(provider, [{ ...call, error: 'no such image' }]), [
          { role: 'function', name: 'score', content: '{"error":"no such image"}' },
        ]);
      }
  });

  test('the result of a call in Mistral’s conversations API is returned as an entry', () => {
    const call = { type: 'function.call', tool_call_id: 'abcdefghi', name: 'score', arguments: text };
    const stream = [{ ...call, type: 'function.call.delta' }, { type: 'conversation.response.done' }];
    for (const answer of [{ outputs: [call] }, stream]) {
      const [read] = parseCalls('mistral', answer, { names });
      assert.deepEqual(read, { id: 'abcdefghi', name: 'score', arguments: values, form: 'conversation' });

      assert.deepEqual(formatResults('mistral', [{ ...read, output: { n: 3 } }]), [
        { object: 'entry', type: 'function.result', tool_call_id: 'abcdefghi', result: '{"n":3}' },
      ]);
    }
  });

  test('an error result may be a sentence or our API’s error object', () => {
    const said = (error: unknown): unknown =>
      (
        formatResults('anthropic', [{ id: 't', name: 'score', error }]) as {
          content: { content: string; is_error: boolean }[];
        }[]
      )[0]?.content[0];

    assert.deepEqual(said('no such image'), {
      type: 'tool_result',
      tool_use_id: 't',
      content: 'no such image',
      is_error: true,
    });
    assert.deepEqual(said({ code: 'NotFound', message: 'no such image' }), {
      type: 'tool_result',
      tool_use_id: 't',
      content: 'NotFound: no such image',
      is_error: true,
    });
  });
});
