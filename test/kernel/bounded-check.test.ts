import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRedact, REDACTED } from '../../shared/execute/redact.ts';
import { boundedCheck } from '../../shared/kernel/bounded-check.ts';
import { checkSchema, validatorFor } from '../../shared/kernel/json-schema.ts';
import { compilePattern } from '../../shared/kernel/pattern.ts';
import type { VersionRecord } from '../../shared/model/registration.ts';
import { testAssay } from '../support/assay.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { doublingSchema } from '../support/schemas.ts';
import { aTool } from '../support/tools.ts';

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const SLOW = { code: 'InvalidInput', message: /cannot be checked within 50 ms by its schema; send less, or simplify/ };
const list = (items: object) => ({ type: 'object', properties: { list: { type: 'array', items } } });

/** Each repeats twenty choices a thousand times. */
const heavyPattern = (count: number) => ({
  properties: Object.fromEntries(upTo(count).map((n) => [`p${n}`, { pattern: `(${'.?'.repeat(19)}${n}?){1000}$` }])),
});

describe('schema validation has bounded work', () => {
  const products: readonly (readonly [string, Readonly<Record<string, unknown>>, unknown])[] = [
    ['a long list and a long enum', list({ enum: upTo(9000) }), { list: upTo(20_000).map(() => 8999) }],
    [
      'a long list and many alternatives',
      list({ anyOf: upTo(800).map((n) => ({ const: n })) }),
      { list: upTo(90_000) },
    ],
    [
      'a long text and a pattern',
      { properties: { a: { pattern: '^(a|b|c)*(d|e)?(a{1,500}b){1,2}$' } } },
      { a: 'abc'.repeat(1e6) },
    ],
    ['a nested choice and little data', doublingSchema(40), {}],
    ['a short text and a heavy pattern', heavyPattern(1), { p0: 'x'.repeat(300) }],
    ['short texts and heavy patterns', heavyPattern(4), { p0: 'x'.repeat(90), p1: 'x', p2: 'x', p3: 'x'.repeat(90) }],
  ];
  for (const [what, schema, value] of products)
    test(`validating ${what} is interrupted`, async () => {
      const validate = validatorFor(schema);

      const spent = await cpuMs(() => assert.throws(() => validate(value), SLOW));

      assert.ok(spent < 1000, `${spent} ms`);
    });

  test('a value as large as one that took too long is refused unchecked; other callers and smaller values are checked', () => {
    let checks = 0;
    const endlessAbove = (size: number) => (value: unknown) => {
      checks++;
      while ((value as { list: readonly number[] }).list.length > size);
      return { value, issues: [] };
    };
    const checksOf = (check: () => unknown): number => {
      const before = checks;
      check();
      return checks - before;
    };
    const validate = boundedCheck(endlessAbove(10_000), list({ enum: upTo(9000) }), 'arguments');
    const [large, small] = [{ list: upTo(20_000) }, { list: upTo(10_000) }];
    assert.throws(() => validate(large, 'loud'), SLOW);

    assert.equal(
      checksOf(() => assert.throws(() => validate(large, 'loud'), SLOW)),
      0,
    );
    assert.ok(checksOf(() => assert.throws(() => validate(large, 'polite'), SLOW)) > 0);
    assert.ok(checksOf(() => validate(small, 'loud')) > 0);
  });

  test('a large value of a simple schema is checked, and its defaults are set on a copy', () => {
    const rows = { rows: upTo(5000).map((n) => ({ n })) };
    const properties = { n: { type: 'integer' }, unit: { default: 'm' } };

    const { value, issues } = validatorFor({ properties: { rows: { items: { type: 'object', properties } } } })(rows);

    assert.deepEqual(issues, []);
    assert.deepEqual((value as typeof rows).rows[7], { n: 7, unit: 'm' });
    assert.deepEqual(rows.rows[7], { n: 7 });
  });

  test('patterns that are too many or repeat too much are refused with the limit', () => {
    const named = Object.fromEntries(upTo(201).map((n) => [`^x${n}$`, {}]));
    assert.throws(() => checkSchema({ patternProperties: named }, 'parameters'), {
      message: /^parameters has 201 patterns; the limit is 200/,
    });
    const heavy = `(${'abcdefghij'.repeat(80)}){1,1000}`;
    assert.throws(() => checkSchema({ pattern: heavy }, 'parameters'), {
      message: /^the patterns of parameters repeat/,
    });
    assert.throws(() => compilePattern(heavy, 'name_pattern'), { message: /^name_pattern "\(abc.* repeats too much/ });
    assert.equal(compilePattern('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 'x').test('x'), false);
  });

  test('X.06 a name filter has a step limit per page, and its next page continues', async () => {
    const { json } = await testAssay();
    const names = upTo(40).map((n) => `${'x'.repeat(100)}${String(n).padStart(2, '0')}`);
    for (const name of names) assert.equal((await json('POST', '/v1/tools', aTool({ name }))).status, 201);
    const page = async (query: string) => {
      const { status, body } = await json<{ tools: { spec: { name: string } }[]; next_cursor?: string }>(
        'GET',
        `/v1/tools?${query}`,
      );
      assert.equal(status, 200);
      return body;
    };
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
      const query = `name_pattern=${encodeURIComponent('(x?){180}')}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { tools, next_cursor }: Awaited<ReturnType<typeof page>> = await page(query);
      found.push(...tools.map(({ spec }) => spec.name));
      cursor = next_cursor;
    }

    assert.deepEqual(
      found.filter((name) => name.startsWith('x')),
      names,
    );
    assert.ok(pages > 3, `${pages} pages`);
    assert.equal((await page('name_pattern=x.*')).tools.length, 40, 'a plain one takes one page');
    const { status } = await json('GET', `/v1/tools?name_pattern=${encodeURIComponent(`(${'.?'.repeat(20)}){1000}`)}`);
    assert.equal(status, 400);
  });

  test('X.06 a schema that is slow to compile is refused before compiling, with its computed cost', () => {
    const named = (count: number, part: (n: number) => unknown) =>
      Object.fromEntries(upTo(count).map((n) => [`p${n}`, part(n)]));
    const schemas = {
      nots: { allOf: upTo(4000).map(() => ({ not: {} })) },
      references: { $defs: named(1200, () => ({})), allOf: upTo(1200).map((n) => ({ $ref: `#/$defs/p${n}` })) },
      unevaluated: { allOf: upTo(1500).map((n) => ({ properties: { [`p${n}`]: {} } })), unevaluatedProperties: false },
      formats: { properties: named(1000, () => ({ format: 'email' })) },
      'nested alternatives': { oneOf: upTo(1400).map((n) => ({ required: [`a${n}`] })) },
      'names that others need': { dependentRequired: named(50, () => upTo(150).map((n) => `q${n}`)) },
      'many keywords': {
        properties: named(600, () => ({
          type: 'string',
          minLength: 1,
          maxLength: 5,
          const: 'x',
          enum: ['x'],
          not: {},
        })),
      },
      'under a field called default': {
        properties: { default: { oneOf: upTo(1400).map(() => ({ type: 'string' })) } },
      },
      'a value that is referred to': {
        properties: { a: { $ref: '#/default' } },
        default: { oneOf: upTo(1000).map(() => ({ type: 'string' })) },
      },
    };
    for (const [what, schema] of Object.entries(schemas))
      assert.throws(
        () => checkSchema(schema, 'parameters'),
        {
          code: 'InvalidInput',
          message: /^parameters takes too long to prepare: .* come to \d+ parts, the limit is 1500;/,
        },
        what,
      );
    checkSchema({ properties: named(700, () => ({ type: ['string', 'null'], description: 'a field' })) }, 'parameters');
  });

  test('a tool with thousands of alternatives, or references to one definition, is registered quickly', async () => {
    const { json } = await testAssay();
    const $defs = { x: { properties: Object.fromEntries(upTo(200).map((n) => [`p${n}`, { type: 'string' }])) } };
    const references = Object.fromEntries(upTo(400).map((n) => [`q${n}`, { $ref: '#/$defs/x' }]));
    const schemas = {
      alternatives: list({ anyOf: upTo(3500).map((n) => ({ const: n })) }),
      references: { type: 'object', $defs, properties: references },
    };
    for (const [name, parameters] of Object.entries(schemas)) {
      const spent = await cpuMs(async () => {
        const { status } = await json('POST', '/v1/tools', aTool({ name, parameters }));
        assert.equal(status, 201);
      });
      assert.ok(spent < 2000, `${name}: ${spent} ms`);
    }
  });

  test('arguments whose secrets cannot be found in time are redacted completely', async () => {
    const items = { anyOf: [{}, ...upTo(3000).map((n) => ({ properties: { [`p${n}`]: { type: 'string' } } }))] };
    const parameters = { type: 'object', properties: { list: { items }, key: { type: 'string', writeOnly: true } } };
    const record = { digest: 'd', spec: { parameters } } as unknown as VersionRecord;
    const redact = createRedact();

    const spent = await cpuMs(() =>
      assert.equal(redact.arguments(record, { list: upTo(50_000).map(() => ({})) }), REDACTED),
    );

    assert.ok(spent < 1000, `${spent} ms`);
    assert.deepEqual(redact.arguments(record, { list: [{}], key: 'k' }), { list: [{}], key: REDACTED });
  });

  test('a plan whose arguments meet a long enum is refused quickly', async () => {
    const { json } = await testAssay();
    await json('POST', '/v1/tools', aTool({ name: 'wide', parameters: list({ enum: upTo(9000) }) }));
    const plan = { nodes: [{ id: 'a', tool: 'wide', arguments: { list: upTo(20_000).map(() => 8999) } }] };

    const spent = await cpuMs(async () => {
      const { status, body } = await json<{ error: { message: string } }>('POST', '/v1/plans', plan);
      assert.equal(status, 400);
      assert.match(body.error.message, /^the arguments of the plan cannot be checked within 200 ms; send fewer/);
    });
    assert.ok(spent < 1500, `${spent} ms`);
  });
});
