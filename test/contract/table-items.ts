import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';
import { tries } from '../support/sampling.ts';
import type { TableTest } from './table.ts';

export function testTableItems({ table, newPk, clock }: TableTest): void {
  describe('table items', () => {
    const roundTrip = async (body: Readonly<Record<string, unknown>>) => {
      const key = { pk: newPk(), sk: 'A' };
      await table().write([{ put: key, body }]);
      return (await table().get(key))?.body;
    };

    test('an item that was never written is absent', async () => {
      assert.equal(await table().get({ pk: newPk(), sk: 'A' }), undefined);
    });

    test('a written item is read back with its key, revision, expiry and body', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const expires = Math.floor(clock.ms / 1000) + 60;

      await table().write([{ put: key, body: { v: 1, name: 'a' }, expires }]);

      assert.deepEqual(await table().get(key), { key, revision: 1, expires, body: { v: 1, name: 'a' } });
    });

    test('a removed item is absent, and removing it again is no error', async () => {
      const key = { pk: newPk(), sk: 'A' };
      await table().write([{ put: key, body: {} }]);

      await table().write([{ remove: key }]);
      await table().write([{ remove: key }]);

      assert.equal(await table().get(key), undefined);
    });

    test('60 concurrent writes are all stored', async () => {
      const pk = newPk();
      const keys = Array.from({ length: 60 }, (_, n) => ({ pk, sk: `N#${String(n).padStart(2, '0')}` }));

      await table().write(keys.map((put, n) => ({ put, body: { n } })));
      await table().write(keys.slice(0, 30).map((remove) => ({ remove })));

      const { items } = await table().query(pk);
      assert.deepEqual(
        items.map(({ body }) => body.n),
        keys.slice(30).map((_, n) => n + 30),
      );
    });

    test('writing an empty list is no error', async () => {
      await table().write([]);
    });

    test('an expired item reads as absent, and its key can be reused', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const expires = Math.floor(clock.ms / 1000) + 10;
      await table().write([{ put: key, body: { n: 1 }, expires }]);
      clock.ms += 10_000;

      const seen = await table().change([key], ([item]) => ({ writes: [{ put: key, body: { n: 2 } }], result: item }));

      assert.equal(seen, undefined);
      assert.deepEqual(await table().get(key), { key, revision: 1, body: { n: 2 } });
    });

    test('item bodies are JSON: undefined properties are dropped, null, empty values and order stay', async () => {
      const body = { z: 1, a: undefined, empty: '', none: [], nothing: null, nested: { y: {}, b: [undefined, ''] } };

      const stored = await roundTrip(body);

      assert.equal(JSON.stringify(stored), JSON.stringify(body));
    });

    test('__proto__ and constructor are item keys like any other', async () => {
      const body = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"a":{"__proto__":2}}');

      const stored = await roundTrip(body);

      assert.equal(JSON.stringify(stored), JSON.stringify(body));
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
    });

    test('__proto__ with a whole number is kept in an item of whole numbers', async () => {
      const body = JSON.parse('{"__proto__":7}');

      assert.equal(JSON.stringify(await roundTrip(body)), '{"__proto__":7}');
    });

    test('numbers and text are read back exactly', async () => {
      const body = {
        numbers: [0.1 + 0.2, 5e-324, Number.MAX_VALUE, -(2 ** 53) + 1, 1e21, 0.000001],
        text: ['äöü', '图像质量', '👩‍🚀', '\u0000\u001f\u2028', '\ud800', 'e\u0301', '"\\'],
        pk: 'mine',
        expires: 'never',
      };

      assert.deepEqual(await roundTrip(body), body);
    });

    test('any JSON object is read back as it was', async () => {
      await fc.assert(
        fc.asyncProperty(fc.dictionary(anyText(), fc.jsonValue()), async (body) => {
          assert.deepEqual(await roundTrip(body), JSON.parse(JSON.stringify(body)));
        }),
        { numRuns: tries(12, 100) },
      );
    });

    test('changing an object that was put or got does not change the stored item', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const given = { list: [1] };
      await table().write([{ put: key, body: given }]);

      given.list.push(2);
      const got = (await table().get(key))?.body.list as number[];
      assert.ok(Object.isFrozen(got) || got.push(3));

      assert.deepEqual((await table().get(key))?.body, { list: [1] });
    });

    test('item keys of any script are kept apart', async () => {
      const pk = `${newPk()}#图像`;
      await table().write(['é', 'e\u0301', 'E', '👍'].map((sk) => ({ put: { pk, sk }, body: { sk } })));

      assert.deepEqual((await table().get({ pk, sk: 'é' }))?.body, { sk: 'é' });
      assert.deepEqual((await table().get({ pk, sk: 'e\u0301' }))?.body, { sk: 'e\u0301' });
      assert.equal((await table().query(pk)).items.length, 4);
    });

    const badKeys = { empty: '', long: 'x'.repeat(1001), NUL: 'a\0b', 'half a character': '\ud83d' };
    for (const [what, sk] of Object.entries(badKeys))
      test(`an item key that is ${what} is refused`, async () => {
        const key = { pk: newPk(), sk };
        const refusal = { code: 'InvalidInput', message: /^sk / };

        await assert.rejects(table().get(key), refusal);
        await assert.rejects(table().write([{ put: key, body: {} }]), refusal);
      });

    test('an item of just under 400 KB is stored, a larger one is refused with its size', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const put = (length: number) => table().write([{ put: key, body: { text: 'x'.repeat(length) } }]);

      await put(400 * 1024 - 200);
      await assert.rejects(put(400 * 1024), {
        code: 'TooLarge',
        message: /would have 409\d{3} bytes; an item has at most 409600/,
      });

      const stored = await table().get(key);
      assert.equal(stored?.body.text, 'x'.repeat(400 * 1024 - 200));
    });

    test('an expiry that is not in whole seconds is refused', async () => {
      const write = table().write([{ put: { pk: newPk(), sk: 'A' }, body: {}, expires: 1.5 }]);

      await assert.rejects(write, { code: 'InvalidInput', message: /whole seconds/ });
    });
  });
}
