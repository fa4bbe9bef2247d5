import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangeEvent } from '../../shared/registry/events.ts';
import { readEvents } from '../../shared/registry/events.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { assayWith } from '../support/execution.ts';
import { aTool } from '../support/tools.ts';

/** Reads so many events from the stream. */
const follow = async (made: TestAssay, count: number, headers: Record<string, string>, path = '/v1/events') => {
  const answer = await made.request('GET', path, undefined, undefined, headers);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  const events: { id: string; event: string; data: ChangeEvent }[] = [];
  let text = '';
  while (events.length < count) {
    text += decoder.decode((await reader?.read())?.value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks.filter((part) => part.includes('data: '))) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      events.push({ id: fields.id ?? '', event: fields.event ?? '', data: JSON.parse(fields.data ?? '{}') });
    }
  }
  await reader?.cancel();
  return events;
};

const list = async (made: TestAssay, key?: string): Promise<readonly ChangeEvent[]> => {
  const answer = await made.request('GET', '/v1/events', undefined, key, { accept: 'application/json' });
  return ((await answer.json()) as { events: ChangeEvent[] }).events;
};

describe('R4.09f change events', () => {
  test('R4.09f change events report registering, new versions, switching, changing and removing, in order', async () => {
    const made = await testAssay();
    const path = '/v1/tools/weather_lookup';
    await made.json('POST', '/v1/tools', aTool({ version: '1.0.0' }));
    await made.json('POST', '/v1/tools', aTool({ version: '1.0.0' }));
    await made.json('POST', '/v1/tools', aTool({ version: '2.0.0' }));
    await made.json('PATCH', path, { enabled: false });
    await made.json('PATCH', path, { enabled: false });
    await made.json('PATCH', path, { enabled: true });
    await made.json('PATCH', path, { default_version: '1.0.0' });
    await made.json('DELETE', `${path}?version=2.0.0`);
    await made.json('DELETE', path);

    const events = await list(made);

    assert.deepEqual(
      events.map(({ type, version }) => (version === undefined ? type : `${type} ${version}`)),
      [
        'tool-registered 1.0.0',
        'tool-versioned 2.0.0',
        'tool-disabled',
        'tool-enabled',
        'tool-changed 1.0.0',
        'tool-removed 2.0.0',
        'tool-removed',
      ],
    );
    assert.deepEqual(
      events.map(({ id }) => id),
      ['1', '2', '3', '4', '5', '6', '7'],
    );
  });

  test('R4.09f change events report a tenant switching a shipped tool, and a failed call', async () => {
    const source = { kind: 'shipped' as const, source: 'assay', definitions: [aTool()] };
    const made = await testAssay({ discover: async () => [source] });
    await made.json('PATCH', '/v1/tools/weather_lookup', { enabled: false });
    await made.json('PATCH', '/v1/tools/weather_lookup', { enabled: true });
    const failing = await assayWith({ fails: async () => Promise.reject(new Error('no luck')) });
    const { body } = await failing.invoke('fails', {});

    assert.deepEqual(
      (await list(made)).map(({ type }) => type),
      ['tool-disabled', 'tool-enabled'],
    );
    const failed = (await list(failing)).at(-1);
    assert.deepEqual([failed?.type, failed?.call_id, failed?.reason], ['call-failed', body.call_id, 'Error: no luck']);
  });

  test('R4.09f change events stream as they happen, and a stream resumes after the last event seen', async () => {
    const made = await testAssay();
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await made.json('POST', '/v1/tools', aTool({ version }));

    const resumed = await follow(made, 2, { 'last-event-id': '1' });
    assert.deepEqual(
      resumed.map(({ id }) => id),
      ['2', '3'],
    );
    assert.equal(resumed[0]?.event, 'tool-versioned');
    assert.equal(resumed[0]?.data.version, '2.0.0');

    const live = follow(made, 1, {});
    // The stream begins after what was there when it was opened.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await made.json('POST', '/v1/tools', aTool({ version: '4.0.0' }));
    assert.deepEqual(
      (await live).map(({ id }) => id),
      ['4'],
    );
    assert.deepEqual(
      (await follow(made, 4, {}, '/v1/events?after=0')).map(({ id }) => id),
      ['1', '2', '3', '4'],
    );
  });

  test('a tenant sees only its own change events, and a confined key those of its tools', async () => {
    const made = await testAssay();
    await made.json('POST', '/v1/tools', aTool());
    await made.json('POST', '/v1/tools', aTool({ name: 'other_tool' }));
    const confined = await made.key({ scopes: ['read'], tools: ['other_tool'] });
    const stranger = await made.key({ scopes: ['read'], tenant: 'acme' });

    assert.deepEqual(
      (await list(made, confined)).map(({ tool }) => tool),
      ['other_tool'],
    );
    assert.deepEqual(await list(made, stranger), []);
    assert.equal((await made.request('GET', '/v1/events?after=x')).status, 400);
    const writer = await made.key({ scopes: ['write'] });
    assert.equal((await made.request('GET', '/v1/events', undefined, writer)).status, 403);
  });

  test('many concurrent changes each have a change event with its own number', async () => {
    const made = await testAssay();
    const names = Array.from({ length: 40 }, (_, n) => `tool_${n}`);

    await Promise.all(names.map((name) => made.json('POST', '/v1/tools', aTool({ name }))));

    const events = await readEvents(made.assay.table, 'default', 0, 100);
    assert.deepEqual(events.map(({ tool }) => tool).toSorted(), names.toSorted());
    assert.equal(new Set(events.map(({ id }) => id)).size, 40);
  });

  test('restoring a snapshot causes one change event per tool', async () => {
    const made = await testAssay();
    for (let n = 0; n < 60; n++) await made.json('POST', '/v1/tools', aTool({ name: `tool_${n}`, version: '1.0.0' }));
    const { body: snapshot } = await made.json('GET', '/v1/snapshot');
    const fresh = await testAssay();

    await fresh.json('POST', '/v1/snapshot', snapshot);

    const events = await readEvents(fresh.assay.table, 'default', 0, 1000);
    assert.deepEqual([...new Set(events.map(({ type }) => type))], ['tool-registered']);
    assert.equal(events.length, 60);
  });
});
