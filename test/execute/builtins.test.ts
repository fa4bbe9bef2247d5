import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Builtin } from '../../shared/execute/builtins/builtin.ts';
import { diff } from '../../shared/execute/builtins/diff.ts';
import { builtins } from '../../shared/execute/builtins/index.ts';
import { validatorFor } from '../../shared/kernel/json-schema.ts';
import { parseDefinition } from '../../shared/registry/parse-definition.ts';
import { toolsAssay } from '../support/execution.ts';

const find = (name: string): Builtin => {
  const builtin = builtins.find(({ definition }) => definition.name === name);
  assert.ok(builtin, name);
  return builtin;
};

/** Runs a builtin as the layers would: defaults filled in, output checked. */
const run = async (name: string, args: object): Promise<Record<string, unknown>> => {
  const { definition, run: execute } = find(name);
  const { value, issues } = validatorFor(definition.parameters)(args);
  assert.deepEqual(issues, []);
  const output: unknown = JSON.parse(JSON.stringify(await execute(value as Record<string, unknown>)));
  assert.deepEqual(validatorFor(definition.output_schema ?? {})(output).issues, []);
  return output as Record<string, unknown>;
};

const refuses = (name: string, args: object, why: RegExp) => assert.rejects(run(name, args), why);

test('every builtin has a complete definition that the registry accepts', () => {
  for (const { definition } of builtins) {
    const { output_schema, tags, category, scenarios, intents, version } = parseDefinition(definition);
    assert.ok(output_schema && tags.length > 1 && category && scenarios && intents && version, definition.name);
  }
});

describe('json_query', () => {
  const data = {
    orders: [
      { id: 1, total: 40, by: 'Ada' },
      { id: 2, total: 160, by: 'Bo' },
    ],
  };

  test('json_query picks, filters, sums and reshapes', async () => {
    assert.deepEqual(await run('json_query', { data, expression: 'orders[total > 100].by' }), {
      found: true,
      result: 'Bo',
    });
    assert.deepEqual((await run('json_query', { data, expression: '$sum(orders.total)' })).result, 200);
    assert.deepEqual((await run('json_query', { data, expression: 'orders.{"who": by}' })).result, [
      { who: 'Ada' },
      { who: 'Bo' },
    ]);
    assert.deepEqual(await run('json_query', { data, expression: 'nothing' }), { found: false, result: null });
    assert.deepEqual(
      (await run('json_query', { data, expression: 'orders[total > $min].id', bindings: { min: 50 } })).result,
      2,
    );
  });

  test('json_query reports where an expression is wrong', () =>
    refuses('json_query', { data, expression: 'orders[' }, /expression fails at character 7/));
});

describe('json_validate', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['name'] };

  test('json_validate lists every violation with its path', async () => {
    assert.deepEqual(await run('json_validate', { data: { name: 'Ada', age: 36 }, schema }), {
      valid: true,
      errors: [],
    });
    const { errors } = await run('json_validate', { data: { age: -1 }, schema });
    assert.deepEqual((errors as { path: string }[]).map(({ path }) => path).sort(), ['age', 'name']);
  });

  test('json_validate refuses an invalid schema', () =>
    refuses('json_validate', { data: 1, schema: { type: 'wrong' } }, /schema is not a valid JSON Schema/));
});

describe('text_diff', () => {
  test('text_diff writes a unified diff that turns one text into the other', async () => {
    const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
    const after = 'one\ntwo\n3\nfour\nfive\nsix\nseven\neight';
    const result = await run('text_diff', { before, after, context: 1 });

    assert.equal(
      result.unified,
      '@@ -2,3 +2,3 @@\n two\n-three\n+3\n four\n@@ -7,1 +7,2 @@\n seven\n+eight\n\\ No newline at end of file\n',
    );
    assert.deepEqual([result.added, result.removed, result.identical, result.minimal], [2, 1, false, true]);
  });

  test('text_diff compares by words and characters', async () => {
    const words = await run('text_diff', { before: 'the quick fox', after: 'the slow fox', unit: 'word' });
    assert.deepEqual(
      (words.changes as { kind: string; text: string }[]).filter(({ kind }) => kind !== 'same'),
      [
        { kind: 'removed', text: 'quick' },
        { kind: 'added', text: 'slow' },
      ],
    );
    const characters = await run('text_diff', { before: '😀a', after: '😀b', unit: 'character' });
    assert.deepEqual([characters.added, characters.removed], [1, 1]);
    assert.deepEqual((await run('text_diff', { before: '', after: '' })).similarity, 1);
  });

  test('text_diff finds the fewest edits from any list to any other', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const { edits, isMinimal } = diff(before, after);
        assert.deepEqual(
          edits.filter(({ kind }) => kind !== 'added').map(({ text }) => text),
          before,
        );
        assert.deepEqual(
          edits.filter(({ kind }) => kind !== 'removed').map(({ text }) => text),
          after,
        );
        assert.equal(edits.filter(({ kind }) => kind === 'same').length, longestCommon(before, after));
        assert.equal(isMinimal, true);
      }),
    );
  });

  test('text_diff of unrelated texts ends', () => {
    const many = (word: string) => Array.from({ length: 5000 }, (_, n) => `${word}${n}`);
    const { edits, isMinimal } = diff(many('a'), many('b'));

    assert.deepEqual([edits.length, isMinimal], [10_000, false]);
  });
});

const longestCommon = (a: readonly string[], b: readonly string[]): number => {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const row = rows[i] ?? [];
      row[j] =
        a[i - 1] === b[j - 1] ? (rows[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(rows[i - 1]?.[j] ?? 0, row[j - 1] ?? 0);
    }
  return rows[a.length]?.[b.length] ?? 0;
};

test('text_stats counts words and sentences as a reader does, in any language', async () => {
  const english = await run('text_stats', { text: 'One two. Two three!\n\nFour 👩‍👩‍👧 five', top: 1 });
  assert.deepEqual(
    [english.words, english.unique_words, english.sentences, english.lines, english.paragraphs, english.top_words],
    [6, 5, 3, 3, 2, [{ word: 'two', count: 2 }]],
  );
  assert.equal((await run('text_stats', { text: '👩‍👩‍👧' })).characters, 1);
  assert.ok(Number((await run('text_stats', { text: '今天天气很好' })).words) >= 3);
  assert.deepEqual((await run('text_stats', { text: '' })).lines, 0);
});

test('hash gives the standard digests', async () => {
  const digest = async (args: object) => (await run('hash', args)).digest;
  assert.equal(await digest({ text: 'abc' }), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(await digest({ text: 'abc', algorithm: 'md5' }), '900150983cd24fb0d6963f7d28e17f72');
  assert.equal(
    await digest({ text: 'YWJj', input: 'base64', algorithm: 'sha1' }),
    'a9993e364706816aba3e25717850c26c9cd0d89d',
  );
  // RFC 4231, test case 2
  const hmac = await run('hash', { text: 'what do ya want for nothing?', key: 'Jefe' });
  assert.deepEqual(
    [hmac.algorithm, hmac.digest],
    ['hmac-sha256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  );
});

test('base64 encodes and decodes every text unchanged, and refuses invalid Base64', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.boolean(), async (text, url_safe) => {
      const { result } = await run('base64', { action: 'encode', text, url_safe });
      assert.equal((await run('base64', { action: 'decode', text: result })).result, text);
    }),
  );
  for (const text of ['a', 'ab!c', 'YQ===', '/w=='])
    await refuses('base64', { action: 'decode', text }, /Base64|UTF-8/);
});

describe('date_math', () => {
  test('date_math adds by the calendar', async () => {
    const added = async (date: string, add: object) => (await run('date_math', { date, add })).date;
    assert.equal(await added('2026-01-31', { months: 1 }), '2026-02-28');
    assert.equal(await added('2024-02-29', { years: 1 }), '2025-02-28');
    assert.equal(await added('2026-03-01', { days: -1 }), '2026-02-28');
    assert.equal(await added('2026-12-31T23:59:59Z', { seconds: 1 }), '2027-01-01T00:00:00Z');
    assert.equal(await added('2026-06-01T08:00:00+02:00', { hours: 20 }), '2026-06-02T04:00:00+02:00');
    assert.equal(await added('2026-06-01', { weeks: 2, hours: 1 }), '2026-06-15T01:00:00');
  });

  test('date_math knows weekdays, ISO weeks and leap years', async () => {
    const about = await run('date_math', { date: '2027-01-01' });
    assert.deepEqual(
      [about.weekday, about.iso_week, about.day_of_year, about.is_leap_year],
      ['Friday', '2026-W53', 1, false],
    );
    assert.deepEqual((await run('date_math', { date: '2024-12-31' })).day_of_year, 366);
  });

  test('date_math gives the distance between two dates, in parts and in total, also backwards', async () => {
    const until = async (date: string, to: string) =>
      (await run('date_math', { date, until: to })).until as Record<string, number>;
    const parts = await until('2020-02-29', '2026-11-05');
    assert.deepEqual([parts.years, parts.months, parts.days, parts.total_days], [6, 8, 7, 2441]);
    const back = await until('2026-11-05', '2020-02-29');
    assert.deepEqual([back.years, back.total_days], [-6, -2441]);
    assert.equal((await until('2026-01-01T12:00:00+01:00', '2026-01-01T12:00:00Z')).total_seconds, 3600);
  });

  test('date_math refuses an invalid date', async () => {
    for (const date of ['2026-02-30', '2026-13-01', 'tomorrow', '05/11/2026', '2026-01-01T25:00:00Z', ''])
      await refuses('date_math', { date }, /is not an ISO 8601 date/);
    await refuses('date_math', { date: '9999-12-31', add: { years: 1 } }, /outside the years/);
  });
});

describe('unit_convert', () => {
  test('unit_convert converts exactly, by symbol or name', async () => {
    const value = async (value: number, from: string, to: string) =>
      (await run('unit_convert', { value, from, to })).value;
    assert.equal(await value(1, 'mile', 'km'), 1.609344);
    assert.equal(await value(100, 'C', 'fahrenheit'), 212);
    assert.equal(await value(-40, 'F', 'C'), -40);
    assert.equal(await value(1, 'GiB', 'MB'), 1073.741824);
    assert.equal(await value(150, 'Pounds', 'kg'), 68.0388555);
    assert.equal(await value(36, 'km/h', 'm/s'), 10);
    assert.equal(await value(1, 'kWh', 'J'), 3_600_000);
    assert.equal(await value(0.5, 'turn', 'degrees'), 180);
  });

  test('unit_convert to a unit and back gives the same value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.constantFrom(...pairs),
        async (given, [from, to]) => {
          const there = await run('unit_convert', { value: given, from, to });
          const back = Number((await run('unit_convert', { value: there.value, from: to, to: from })).value);
          assert.ok(Math.abs(back - given) <= Math.abs(given) * 1e-9 + 1e-9);
        },
      ),
    );
  });

  test('unit_convert refuses other dimensions, and unknown units with a suggestion', async () => {
    await refuses('unit_convert', { value: 1, from: 'kg', to: 'm' }, /kg measures mass, m length/);
    await refuses('unit_convert', { value: 1, from: 'kilogramm', to: 'g' }, /kilogram/);
  });
});

const pairs = [
  ['mi', 'm'],
  ['F', 'K'],
  ['acre', 'ha'],
  ['psi', 'bar'],
  ['hp', 'kW'],
  ['cup', 'mL'],
] as const;

describe('csv_to_json', () => {
  test('csv_to_json reads quotes, delimiters, types and repeated names', async () => {
    const csv = 'name;n;n;note\r\n"Ada ""the first""";1;02;"a\nb"\r\n\r\nBo;-2.5;true;\r\n';
    const { columns, rows, delimiter, count } = await run('csv_to_json', { csv });
    assert.deepEqual([columns, delimiter, count], [['name', 'n', 'n_2', 'note'], ';', 2]);
    assert.deepEqual(rows, [
      { name: 'Ada "the first"', n: 1, n_2: '02', note: 'a\nb' },
      { name: 'Bo', n: -2.5, n_2: true, note: null },
    ]);
    assert.deepEqual((await run('csv_to_json', { csv: '1,2\n3', header: false })).rows, [
      { column_1: 1, column_2: 2 },
      { column_1: 3, column_2: null },
    ]);
    assert.deepEqual((await run('csv_to_json', { csv: 'id\n12345678901234567890', types: true })).rows, [
      { id: '12345678901234567890' },
    ]);
  });

  test('csv_to_json reads back every table that was written', async () => {
    const cell = fc.string().map((text) => text.replaceAll('\r', ''));
    const table = fc
      .integer({ min: 2, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      );
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const csv = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')).join('\n');
        const read = await run('csv_to_json', { csv, header: false, types: false, delimiter: ',' });
        assert.deepEqual(
          (read.rows as object[]).map((row) => Object.values(row)),
          rows,
        );
      }),
    );
  });

  test('csv_to_json names the invalid line', async () => {
    await refuses('csv_to_json', { csv: 'a,b\n1,"2' }, /opened in line 2 is never closed/);
    await refuses('csv_to_json', { csv: 'a,b\n1,2,3' }, /line 2 has 3 fields, but there are 2 columns/);
    await refuses('csv_to_json', { csv: 'a,b\n"1"x,2' }, /line 2 has text after a closing quote/);
  });
});

test('every builtin answers over HTTP, and slow ones do not block the server', async (t) => {
  const { invoke } = await toolsAssay(t);
  let turns = 0;
  const beat = setInterval(() => turns++, 5);

  const { body } = await invoke('text_stats', { text: 'the quick brown fox. '.repeat(40_000) });
  clearInterval(beat);

  assert.equal((body.output as { words: number }).words, 160_000);
  assert.ok(turns > 5, `the event loop turned ${turns} times`);
  const wrong = await invoke('json_query', { data: 1, expression: '[' });
  assert.deepEqual(
    [wrong.status, wrong.body.status, (wrong.body.error as unknown as { type: string }).type],
    [200, 'failed', 'InvalidInput'],
  );
});

test('registry_search finds only tools the key may see', async (t) => {
  const { invoke, key } = await toolsAssay(t);
  const confined = await key({ scopes: ['invoke'], tools: ['registry_search', 'hash'] });
  const names = async (by?: string) =>
    (
      (await invoke('registry_search', { query: 'convert csv table to json' }, by)).body.output as {
        tools: { name: string }[];
      }
    ).tools.map(({ name }) => name);

  assert.equal((await names())[0], 'csv_to_json');
  assert.equal((await names(confined)).includes('csv_to_json'), false);
});
