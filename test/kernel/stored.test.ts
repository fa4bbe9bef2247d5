import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { shapeGuard } from '../../shared/kernel/shape-guard.ts';
import { isNewer, isUnreadable, put, read, readAll, readStoredFile, stored } from '../../shared/kernel/stored.ts';
import { isFamily } from '../../shared/model/family-guard.ts';
import { FamilyItem } from '../../shared/model/registration.ts';
import { aTool } from '../support/tools.ts';

const key = { pk: 'T#default', sk: 'THING#a' };
const itemOf = (body: Readonly<Record<string, unknown>>) => ({ key, revision: 1, body });
const faultOf = (work: () => unknown): Fault => {
  try {
    work();
  } catch (thrown) {
    assert.ok(thrown instanceof Fault);
    return thrown;
  }
  return assert.fail('nothing was thrown');
};

/** A kind in its second version; the first had one name for both. */
const Thing = z.object({ first: z.string(), last: z.string() });
type Thing = z.infer<typeof Thing>;
const upgrades = {
  1: ({ name }: Readonly<Record<string, unknown>>) => {
    const [first = '', last = ''] = (name as string).split(' ');
    return { first, last };
  },
};
const ThingItem = stored<Thing>({ what: 'thing', version: 2, schema: Thing, upgrades, cure: 'make it again' });
/** The release before: it reads version 2 and still writes version 1. */
const ThingItemBefore = stored<Thing>({
  what: 'thing',
  version: 2,
  schema: Thing,
  upgrades,
  writes: { version: 1, downgrade: ({ first, last }) => ({ name: `${first} ${last}` }) },
});
/** The release before that one. */
const ThingItemFirst = stored({ what: 'thing', schema: z.object({ name: z.string() }) });

describe('stored items', () => {
  test('a stored item is read back without its version, which only the store has', () => {
    const write = put(key, ThingItem, { first: 'Ada', last: 'L' }, 7);

    assert.deepEqual(write, { put: key, body: { v: 2, first: 'Ada', last: 'L' }, expires: 7 });
    assert.deepEqual(read(itemOf({ v: 2, first: 'Ada', last: 'L' }), ThingItem), { first: 'Ada', last: 'L' });
  });

  test('an item of an older version is upgraded when it is read', () => {
    assert.deepEqual(read(itemOf({ v: 1, name: 'Ada L' }), ThingItem), { first: 'Ada', last: 'L' });
  });

  test('a release reads a new item version before it writes it, so that the previous release can read its items', () => {
    const body = 'put' in put(key, ThingItem, { first: 'Ada', last: 'L' }) ? { v: 2, first: 'Ada', last: 'L' } : {};
    assert.deepEqual(read(itemOf(body), ThingItemBefore), { first: 'Ada', last: 'L' });
    const written = put(key, ThingItemBefore, { first: 'Ada', last: 'L' });
    assert.ok('put' in written);
    assert.deepEqual(read(itemOf(written.body), ThingItemFirst), { name: 'Ada L' });
    assert.deepEqual(read(itemOf(written.body), ThingItem), { first: 'Ada', last: 'L' });
  });

  test('an item of a newer version is refused with the version and what to do', () => {
    const fault = faultOf(() => read(itemOf({ v: 3, first: 'Ada' }), ThingItem));

    assert.equal(fault.code, 'Unavailable');
    assert.equal(
      fault.message,
      'the thing T#default THING#a was written by a newer release (version 3, this one reads up to 2): ' +
        'update this installation; nothing was changed',
    );
    assert.ok(isUnreadable(fault) && isNewer(fault));
  });

  test('an altered item is refused with its field and what to do, without its values', () => {
    const bodies = [
      { v: 2, first: 'Ada', last: 5 },
      { v: 2, first: 'Ada' },
      { v: 1, name: 5 },
      { v: '2', first: 'Ada', last: 'secret' },
      { first: 'Ada', last: 'secret' },
      { v: 0, first: 'Ada' },
      {},
    ];
    for (const body of bodies) {
      const fault = faultOf(() => read(itemOf(body), ThingItem));
      assert.match(fault.message, /^the stored thing T#default THING#a cannot be read: .*; make it again; nothing was/);
      assert.doesNotMatch(fault.message, /Ada|secret/);
      assert.ok(isUnreadable(fault) && !isNewer(fault), JSON.stringify(body));
    }
    assert.match(faultOf(() => read(itemOf({ v: 2, first: 'A', last: 5 }), ThingItem)).message, /field last/);
  });

  test('fields added by a later release are kept', () => {
    assert.deepEqual(read(itemOf({ v: 2, first: 'Ada', last: 'L', nick: 'x' }), ThingItem), {
      first: 'Ada',
      last: 'L',
      nick: 'x',
    });
  });

  test('unreadable items do not hide the others of a page, and are logged', () => {
    const logged: string[] = [];
    const items = [itemOf({ v: 2, first: 'a', last: 'b' }), itemOf({ v: 9 }), itemOf({ v: 1, name: 'c d' })];

    const things = readAll(items, ThingItem, { error: (message) => void logged.push(message) });

    assert.deepEqual(things, [
      { first: 'a', last: 'b' },
      { first: 'c', last: 'd' },
    ]);
    assert.equal(logged.length, 1);
  });

  test('a truncated file is refused by its name', () => {
    const bytes = new TextEncoder().encode('{"v":2,"first":"Ada","last":"L"}');

    assert.deepEqual(readStoredFile('a.json', bytes, ThingItem), { first: 'Ada', last: 'L' });
    for (let length = 0; length < bytes.length; length++) {
      const fault = faultOf(() => readStoredFile('a.json', bytes.slice(0, length), ThingItem));
      assert.match(fault.message, /^the stored thing a.json cannot be read: it is not a JSON object/);
    }
  });
});

describe('type guards of tool families', () => {
  const spec = {
    ...aTool({ version: '1.0.0', category: 'c', instructions: 'i', handler: 'h', price_micros: 1, cacheable: true }),
    tags: ['a'],
    output_schema: {},
    permission: 'safe',
    timeout_seconds: 1,
    scenarios: ['s'],
    intents: ['i'],
    capabilities: { streams: true },
    iqa: { type: 'NR', strengths: ['Noise'] },
  };
  const record = { version: '1.0.0', digest: 'd', created_at: '2026-01-01T00:00:00Z', deprecated: 'old', spec };
  const family = { name: 'weather_lookup', enabled: true, default_version: '1.0.0', versions: [record] };
  const guard = shapeGuard(FamilyItem.schema);
  const others = [undefined, null, 7.5, 'x', true, [], {}, [null], { a: null }];

  test('the families’ guard refuses a wrong field type wherever the compiled guard does', () => {
    assert.ok(guard(family) && isFamily(family));
    for (const other of others) {
      for (const field of Object.keys(family)) agree({ ...family, [field]: other }, field);
      for (const field of Object.keys(record)) agree({ ...family, versions: [{ ...record, [field]: other }] }, field);
      for (const field of Object.keys(spec))
        agree({ ...family, versions: [{ ...record, spec: { ...spec, [field]: other } }] }, field);
    }
    function agree(altered: object, field: string): void {
      assert.equal(isFamily(altered), guard(altered), `${field}: ${JSON.stringify(altered)}`);
    }
  });
});

describe('type guards compiled from a schema', () => {
  const schema = z.object({
    text: z.string(),
    count: z.int(),
    share: z.number().optional(),
    at: z.iso.datetime().nullable(),
    kind: z.enum(['a', 'b']),
    either: z.union([z.literal(true), z.string()]).optional(),
    list: z.array(z.strictObject({ name: z.string(), pair: z.tuple([z.number(), z.boolean()]) })),
    totals: z.record(z.string(), z.number()),
    anything: z.unknown(),
  });
  const guard = shapeGuard(schema);
  const value: fc.Arbitrary<unknown> = fc.record({
    text: fc.string(),
    count: fc.maxSafeInteger(),
    share: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: undefined }),
    at: fc.option(
      fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    ),
    kind: fc.constantFrom('a', 'b'),
    either: fc.option(fc.oneof(fc.constant(true), fc.string()), { nil: undefined }),
    list: fc.array(fc.record({ name: fc.string(), pair: fc.tuple(fc.integer(), fc.boolean()) })),
    totals: fc.dictionary(fc.string(), fc.integer()),
    anything: fc.jsonValue(),
  });

  test('the compiled guard accepts what the schema accepts', () => {
    fc.assert(
      fc.property(value, (each) => {
        assert.ok(schema.safeParse(each).success);
        assert.ok(guard(each));
      }),
    );
  });

  test('the compiled guard refuses what the schema refuses, once a field has another type', () => {
    const fields = Object.keys(schema.shape).filter((name) => name !== 'anything');
    fc.assert(
      fc.property(value, fc.constantFrom(...fields), fc.jsonValue(), (each, field, other) => {
        const altered = { ...(each as object), [field]: other };
        if (!schema.safeParse(altered).success) assert.equal(guard(altered), false, JSON.stringify(altered));
      }),
    );
  });

  test('the compiled guard refuses an unknown field where the schema is strict, and nowhere else', () => {
    const of = (more: object) => ({ name: 'x', pair: [1, true], ...more });
    const whole = (list: object, more = {}) => ({
      text: '',
      count: 1,
      at: null,
      kind: 'a',
      list: [list],
      totals: {},
      ...more,
    });

    assert.ok(guard(whole(of({}), { more: 1 })));
    assert.equal(guard(whole(of({ more: 1 }))), false);
  });
});
