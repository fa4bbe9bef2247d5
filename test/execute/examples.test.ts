import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import {
  changeExamples,
  learnLesson,
  readExamples,
  readExamplesRevision,
  redactRequest,
} from '../../shared/insight/examples.ts';
import { createMemories } from '../../shared/insight/memory.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { readRequest } from '../../shared/search/request.ts';

const AT = '2030-01-01T00:00:00.000Z';
const none = { tool: 'weather', examples: [], pending: [] };
const lesson = (request: string, key = 'one', from: 'use' | 'feedback' = 'use') => ({
  tool: 'weather',
  request,
  key,
  from,
  at: AT,
});

describe('examples learnt from use', () => {
  test('a good rating stores an example at once', () => {
    const { examples } = learnLesson(none, lesson('will it rain', 'one', 'feedback'));
    assert.deepEqual(
      examples.map(({ request, from }) => [request, from]),
      [['will it rain', 'feedback']],
    );
  });

  test('success stores an example only when a second key has it too, however often the first repeats it', () => {
    const once = learnLesson(none, lesson('will it rain'));
    const again = learnLesson(once, lesson('Will it  rain'));
    assert.deepEqual([once.examples, again.examples, again.pending.length], [[], [], 1]);
    const both = learnLesson(again, lesson('will it rain', 'two'));
    assert.equal(both.examples.length, 1);
    assert.equal(both.pending.length, 0);
    assert.equal(learnLesson(both, lesson('will it rain', 'three')), both);
  });

  test('the newest sixteen examples of a tool are kept', () => {
    const all = Array.from({ length: 40 }, (_, at) => lesson(`request number ${at}`, 'one', 'feedback')).reduce(
      learnLesson,
      none,
    );
    assert.equal(all.examples.length, 16);
    assert.equal(all.examples.at(-1)?.request, 'request number 39');
  });

  test('an example’s request is stored without addresses, numbers and tokens, and shortened', () => {
    assert.equal(
      redactRequest('mail ann@example.com about +49 170 1234567 with sk-abcdefgh12345678 and 4111111111111111'),
      'mail [redacted] about [redacted] with [redacted] and [redacted]',
    );
    fc.assert(fc.property(fc.string({ maxLength: 5000 }), (text) => redactRequest(text).length <= 300));
  });

  test('examples are read again when their revision has changed, and each tenant has its own', async () => {
    const table = memoryTable();
    const memories = createMemories(table);
    const tool: Tool = { name: 'weather', type: 'function', tags: [], parameters: { type: 'object' } };
    const near = async (tenant: string) => {
      const memory = await memories(tenant);
      return {
        revision: memory.revision,
        found: memory.nearest(readRequest('will it rain in Paris'), [tool]).get('weather'),
      };
    };
    assert.deepEqual(await near('one'), { revision: 0, found: undefined });
    await changeExamples(table, 'one', 'weather', (before) =>
      learnLesson(before, lesson('will it rain in Rome', 'one', 'feedback')),
    );
    const { revision, found } = await near('one');
    assert.equal(revision, 1);
    assert.equal(found?.request, 'will it rain in Rome');
    assert.deepEqual(await near('two'), { revision: 0, found: undefined });
    await changeExamples(table, 'one', 'weather', (before) => ({ ...before, examples: [], pending: [] }));
    assert.deepEqual(await near('one'), { revision: 2, found: undefined });
    assert.deepEqual(await readExamples(table, 'one'), []);
    assert.equal(await readExamplesRevision(table, 'one'), 2);
  });
});
