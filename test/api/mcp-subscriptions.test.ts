import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Message {
  readonly method?: string;
  readonly error?: { readonly message: string };
  readonly params?: { readonly notifications?: object };
}

/** Timers that turn when the test says so. */
const handTimers = () => {
  const works = new Set<() => void>();
  const every = (_: number, work: () => void) => {
    works.add(work);
    return () => void works.delete(work);
  };
  const turn = () => {
    for (const work of works) work();
  };
  return { ...systemTimers, every, works, turn };
};

/** Opens a stream of changes, and reads it message by message. */
const subscribe = async (given: Pick<TestAssay, 'request'>, key: string) => {
  const body = {
    jsonrpc: '2.0',
    id: 7,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: envelope },
  };
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  };
  const response = await given.request('POST', '/mcp', body, key, headers);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<Message | undefined> => {
    for (let reads = 0; reads < 20; reads++) {
      const found = /(?:^|\n)(?:data: )?(\{.*\})\s*(?:\n|$)/.exec(text);
      if (found?.[1] !== undefined) {
        text = text.slice(found.index + found[0].length);
        return JSON.parse(found[1]) as Message;
      }
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return undefined;
      text += value;
    }
    return undefined;
  };
  return { next, close: () => reader?.cancel() };
};

describe('subscriptions/listen', () => {
  test('a subscription notifies a key when tools that it sees changed, and not of other tools', async () => {
    const timers = handTimers();
    const given = await testAssay({ timers });
    await given.json('POST', '/v1/tools', aTool({ name: 'mine' }));
    const confined = await given.key({ scopes: ['read'], tools: ['mine'] });
    const all = await given.key({ scopes: ['read'] });
    const [narrow, wide] = [await subscribe(given, confined), await subscribe(given, all)];
    const acknowledged = [await narrow.next(), await wide.next()];
    const looked = () => new Promise((resolve) => setTimeout(resolve, 20));
    await looked();

    await given.json('POST', '/v1/tools', aTool({ name: 'other' }));
    timers.turn();
    await looked();
    const told = await wide.next();
    await given.json('PATCH', '/v1/tools/mine', { deprecated: 'old' });
    timers.turn();
    await looked();
    const toldNarrow = await narrow.next();
    await Promise.all([narrow.close(), wide.close()]);

    for (const each of acknowledged) assert.deepEqual(each?.params?.notifications, { toolsListChanged: true });
    assert.equal(told?.method, 'notifications/tools/list_changed');
    assert.equal(toldNarrow?.method, 'notifications/tools/list_changed');
    await looked();
    assert.equal(timers.works.size, 0, 'nobody looks when nobody listens');
  });

  test('a key that subscribes a thousand times holds eight streams, and another key still gets one', async () => {
    const given = await testAssay();
    const [greedy, polite] = [await given.key({ scopes: ['read'] }), await given.key({ scopes: ['read'] })];

    const streams = await Promise.all(Array.from({ length: 1000 }, () => subscribe(given, greedy)));
    const first = await Promise.all(streams.map(({ next }) => next()));
    const other = await subscribe(given, polite);
    const answer = await other.next();
    await Promise.all([...streams, other].map(({ close }) => close()));

    assert.equal(first.filter((message) => message?.error === undefined).length, 8);
    assert.match(first.find((message) => message?.error)?.error?.message ?? '', /limit/i);
    assert.equal(answer?.error, undefined);
  });

  test('where streams cannot be held, a subscription ends at once', async () => {
    const { assay, key } = await testAssay();
    const app = createApp(assay, { holdsStreams: false });
    const text = await key({ scopes: ['read'] });
    const request: TestAssay['request'] = async (method, path, body, _, headers) =>
      app.request(path, {
        method,
        headers: { ...headers, authorization: `Bearer ${text}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    const stream = await subscribe({ request }, text);
    const messages = [await stream.next(), await stream.next(), await stream.next()];

    assert.deepEqual(messages[0]?.params?.notifications, {});
    assert.equal(messages[2], undefined);
  });
});
