import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { callReader, type ModelCall, parseCalls } from '../../shared/providers/index.ts';
import { isWhole, tries } from '../support/sampling.ts';
import { recordings } from './recordings/all.ts';

/** The forms in which a stream, or a list of answers, is sent or kept. */
const forms: Readonly<Record<string, (events: readonly unknown[]) => string>> = {
  'server-sent events': (events) =>
    `${events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
  'server-sent events with comments, CRLF and data on several lines': (events) =>
    `\uFEFF: {"no": "event"}\r\n\r\n${events
      .map((event) => `id: 1\r\ndata:${JSON.stringify(event, null, 1).replaceAll('\n', '\r\ndata:')}\r\n\r\n`)
      .join(': keep-alive\r\n\r\n')}`,
  'one event a line': (events) => events.map((event) => JSON.stringify(event)).join('\n'),
  'an array over many lines': (events) => JSON.stringify(events, null, 2),
  'one after the other': (events) => events.map((event) => JSON.stringify(event)).join(''),
};

const inPieces = (provider: string, pieces: readonly unknown[]): readonly ModelCall[] => {
  const reader = callReader(provider);
  for (const piece of pieces) reader.push(piece);
  return reader.end();
};

/** A stream is cut after each so many bytes. */
const STEP = isWhole ? 13 : 61;

describe('parsing rules', () => {
  for (const { rule, provider, events, calls } of recordings) {
    test(`the parser of ${provider}: ${rule}`, () => {
      const parsed = parseCalls(provider, events);

      assert.deepEqual(
        parsed.map(({ name, arguments: values, error }) => [name, error ? 'error' : values]),
        calls.map(([name, said]) => [name, typeof said === 'string' ? 'error' : said]),
        JSON.stringify(parsed),
      );
      for (const [at, [, said]] of calls.entries()) {
        if (typeof said !== 'string') continue;
        assert.ok(parsed[at]?.error?.message.includes(said), `${parsed[at]?.error?.message} has no ${said}`);
        if (said.includes('completely')) assert.deepEqual(parsed[at]?.arguments, {});
      }
      assert.deepEqual(inPieces(provider, events), parsed);
    });
  }

  test('Gemini’s thought signature is kept through the OpenAI-compatible API, whole or streamed', () => {
    const call = { index: 0, id: 'a', function: { name: 'x', arguments: '{}' } };
    const signed = { ...call, extra_content: { google: { thought_signature: 'sig' } } };

    for (const part of ['message', 'delta']) {
      const [read] = parseCalls('openai', { choices: [{ [part]: { tool_calls: [signed] }, finish_reason: 'stop' }] });
      assert.equal(read?.thought_signature, 'sig', part);
    }
  });

  test('a call made from code names its caller', () => {
    const [call] = parseCalls('openai-responses', {
      output: [{ type: 'function_call', call_id: 'a', name: 'x', arguments: '{}', caller: { type: 'program' } }],
    });

    assert.deepEqual(call?.caller, { type: 'program' });
  });
});

describe('streams as text', () => {
  test('every text form of a stream gives the calls of its events', () => {
    for (const { provider, events, rule } of recordings) {
      for (const [form, write] of Object.entries(forms)) {
        // An end of the stream ends what nothing else did.
        const expected =
          form === 'server-sent events' ? inPieces(provider, [events, 'data: [DONE]\n']) : parseCalls(provider, events);
        assert.deepEqual(parseCalls(provider, write(events)), expected, `${provider}, ${rule}, ${form}`);
      }
    }
  });

  test('X.23 a stream cut at every byte gives the same calls', () => {
    for (const { provider, events } of recordings) {
      for (const write of Object.values(forms)) {
        const bytes = Buffer.from(write([...events, { note: 'é€😀' }]));
        const whole = parseCalls(provider, bytes);
        const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
        assert.deepEqual(inPieces(provider, single), whole);
      }
    }
  });

  test('a stream cut into any number of pieces anywhere gives the same calls', () => {
    const text = fc
      .tuple(fc.constantFrom(...recordings), fc.constantFrom(...Object.values(forms)))
      .map(([{ provider, events }, write]) => ({ provider, bytes: Buffer.from(write(events)) }));
    fc.assert(
      fc.property(text, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (given, cuts) => {
        const { provider, bytes } = given;
        const at = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        assert.deepEqual(inPieces(provider, pieces), parseCalls(provider, bytes));
      }),
      { numRuns: tries(60, 300) },
    );
  });

  test('X.23 each call of a truncated stream is correct, an error, or absent', () => {
    for (const { provider, events, calls } of recordings) {
      if (calls.some(([, said]) => typeof said === 'string')) continue;
      for (const write of Object.values(forms)) {
        const bytes = Buffer.from(write(events));
        const whole = parseCalls(provider, bytes);
        for (let end = 0; end < bytes.length; end += STEP) {
          for (const [at, call] of parseCalls(provider, bytes.subarray(0, end)).entries()) {
            if (!call.error) assert.deepEqual(call, whole[at]);
          }
        }
      }
    }
  });

  test('an unreadable event makes every unfinished call an error', () => {
    const chunk = (call: object): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;
    const stream = [
      chunk({ index: 0, id: 'a', function: { name: 'score', arguments: '{"n":1}' } }),
      chunk({ index: 1, id: 'b', function: { name: 'score', arguments: '{"text":"one ' } }),
      'data: {"choices": [{"index": 0, "del\n\n',
      chunk({ index: 1, function: { arguments: 'three"}' } }),
      chunk({ index: 2, id: 'c', function: { name: 'score', arguments: '{"n":3}' } }),
      'data: [DONE]\n\n',
    ];

    const parsed = parseCalls('openai', stream.join(''));

    assert.deepEqual(
      parsed.map(({ arguments: values, error }) => (error ? 'error' : values)),
      [{ n: 1 }, 'error', { n: 3 }],
    );
    assert.match(parsed[1]?.error?.message ?? '', /a part of the stream could not be read/);
  });
});

describe('hostile streams', () => {
  const chunk = (call: object): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;

  test('a stream with randomly changed bytes is parsed without throwing', () => {
    const text = fc.constantFrom(...recordings).map(({ provider, events }) => ({
      provider,
      bytes: Buffer.from(forms['one event a line']?.(events) ?? ''),
    }));
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    fc.assert(
      fc.property(text, fc.array(change, { minLength: 1, maxLength: 20 }), ({ provider, bytes }, changes) => {
        const changed = Buffer.from(bytes);
        for (const { at, byte } of changes) changed[Math.floor(at * (changed.length - 1))] = byte;
        for (const call of parseCalls(provider, changed)) assert.equal(typeof call.arguments, 'object');
      }),
      { numRuns: tries(100, 500) },
    );
  });

  test('any JSON value as an event of any provider is parsed without throwing', () => {
    const providers = [...new Set(recordings.map(({ provider }) => provider))];
    const words = recordings.flatMap(({ events }) => JSON.stringify(events).match(/"[A-Za-z_.]+"/g) ?? []);
    const key = fc.constantFrom(...new Set(words.map((word) => word.slice(1, -1))));
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, key, fc.integer(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      object: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
    })).any;
    fc.assert(
      fc.property(fc.constantFrom(...providers), fc.array(value, { maxLength: 4 }), (provider, events) => {
        for (const call of parseCalls(provider, events)) assert.ok('id' in call && 'name' in call);
      }),
      { numRuns: tries(100, 500) },
    );
  });

  test('deeply nested events do not overflow the stack', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const [call] = parseCalls('openai', chunk({ index: 0, id: 'a', function: { name: 'score', arguments: deep } }), {
      names: ['score'],
      tool: () => undefined,
    });

    assert.match(call?.error?.message ?? '', /nested deeper than 200 levels/);
    assert.deepEqual(parseCalls('openai', '['.repeat(1_000_000)), []);
    assert.deepEqual(parseCalls('gemini', `{"a":${'['.repeat(1_000_000)}`), []);
  });

  test('arguments of five megabytes are parsed whole, one byte at a time', () => {
    const text = chunk({
      index: 0,
      id: 'a',
      function: { name: 'score', arguments: JSON.stringify({ image_key: 'x'.repeat(5_000_000) }) },
    });
    const reader = callReader('openai', { names: ['score'] });
    for (let at = 0; at < text.length; at += 1) reader.push(text[at]);
    const [call] = reader.end();

    assert.equal(call?.error, undefined);
    assert.equal(String(call?.arguments.image_key).length, 5_000_000);
  });

  test('many unreadable events are parsed in linear time', () => {
    const calls = Array.from({ length: 1000 }, (_, index) =>
      chunk({ index, id: `c${index}`, function: { name: 'score', arguments: '{"n":1}' } }),
    ).join('');

    const parsed = parseCalls('openai', calls + 'data: {\n\n'.repeat(100_000));

    assert.equal(parsed.filter(({ error }) => error === undefined).length, 1000);
  });

  test('a call of an unknown tool is an error with its name, streamed or whole', () => {
    const [call] = parseCalls('openai', chunk({ index: 0, id: 'a', function: { name: 'nobody', arguments: '{}' } }), {
      names: ['score'],
    });

    assert.equal(call?.error?.code, 'NotFound');
    assert.match(call?.error?.message ?? '', /there is no tool nobody/);
  });
});
