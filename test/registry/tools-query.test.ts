import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ToolsQueryBody } from '../../functions/api/routes/list-tools.ts';
import { buildFilter, cursorScope, readToolsQuery } from '../../shared/registry/lookup/tools-query.ts';

const text = fc.oneof(
  fc.constantFrom(
    '',
    '1',
    '0',
    '1000',
    '1001',
    ' 5',
    '1e2',
    '-1',
    'true',
    'false',
    'FR',
    'NR',
    'Blurs',
    'a,b',
    ' a , ,b',
    ',',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ minLength: 100, maxLength: 600 }),
);
const names = [
  'limit',
  'cursor',
  'tags',
  'category',
  'capability',
  'type',
  'distortion',
  'allowed',
  'include_disabled',
];
const params = fc.dictionary(fc.constantFrom(...names, 'q', 'name_pattern', 'other'), text, { maxKeys: 5 });

test('the fast path for queries gives what the schema gives', () => {
  fc.assert(
    fc.property(params, (given) => {
      const quick = readToolsQuery(given);
      const full = ToolsQueryBody.safeParse(given);
      if (quick === undefined) return;
      assert.ok(full.success, 'the schema refuses it');
      const { limit, cursor } = full.data;
      assert.deepEqual([quick.limit, quick.cursor], [limit, cursor]);
      assert.equal(cursorScope(quick), cursorScope(full.data));
      assert.deepEqual(buildFilter(quick, undefined), buildFilter(full.data, undefined));
    }),
    { numRuns: 3000 },
  );
});

test('common queries take the fast path', () => {
  for (const given of [
    {},
    { limit: '1000' },
    { tags: 'a,b', category: 'c' },
    { type: 'NR', distortion: 'Noise' },
    { x: 'y' },
  ])
    assert.ok(readToolsQuery(given as Record<string, string>));
});
