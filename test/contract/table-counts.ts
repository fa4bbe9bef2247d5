import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TableTest } from './table.ts';

export function testTableCounts({ table, storage, newPk, clock }: TableTest): void {
  describe('table counters', () => {
    test('counters start at zero, add up, and are returned together', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };

      assert.deepEqual(await table().count(key, { calls: 1 }), { calls: 1 });
      assert.deepEqual(await table().count(key, { calls: 2, micros: 50 }), { calls: 3, micros: 50 });
      assert.deepEqual(await table().count(key, { calls: -1 }), { calls: 2, micros: 50 });

      assert.deepEqual(await table().get(key), { key, revision: 3, body: { calls: 2, micros: 50 } });
    });

    test('a counter may reach its limit; an addition that would pass it adds nothing', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };
      const limits = { calls: 2, micros: 100 };

      assert.deepEqual(await table().count(key, { calls: 1, micros: 100 }, limits), { calls: 1, micros: 100 });
      assert.equal(await table().count(key, { calls: 1, micros: 1 }, limits), undefined);
      assert.deepEqual(await table().count(key, { calls: 1 }, limits), { calls: 2, micros: 100 });
      assert.equal(await table().count(key, { calls: 1 }, limits), undefined);

      assert.deepEqual((await table().get(key))?.body, { calls: 2, micros: 100 });
    });

    test('a first addition above the limit creates no item', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };

      assert.equal(await table().count(key, { micros: 11 }, { micros: 10 }), undefined);

      assert.equal(await table().get(key), undefined);
    });

    test('a limit of zero refuses any addition, also on a counter that is not there yet', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };
      await table().count(key, { calls: 5 });

      assert.equal(await table().count(key, { calls: 1 }, { calls: 0 }), undefined);
      assert.equal(await table().count(key, { micros: 1 }, { calls: 4 }), undefined);
      assert.deepEqual(await table().count(key, { micros: 1 }, { calls: 5 }), { calls: 5, micros: 1 });
    });

    test('counting and changing work on the same item', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };
      await table().change([key], () => ({ writes: [{ put: key, body: { calls: 10 } }], result: 0 }));

      assert.deepEqual(await table().count(key, { calls: 1 }, { calls: 11 }), { calls: 11 });

      const seen = await table().change([key], ([item]) => ({
        writes: [{ put: key, body: { calls: 3 } }],
        result: item?.body,
      }));
      assert.deepEqual(seen, { calls: 11 });
      assert.deepEqual(await table().count(key, { calls: 1 }), { calls: 4 });
    });

    test('an item with values other than whole numbers is not counted', async () => {
      const key = { pk: newPk(), sk: 'A' };
      await table().write([{ put: key, body: { calls: 1, name: 'x' } }]);

      await assert.rejects(table().count(key, { calls: 1 }), { code: 'Conflict', message: /use change/ });

      assert.deepEqual((await table().get(key))?.body, { calls: 1, name: 'x' });
    });

    test('fractions are refused in counters', async () => {
      const key = { pk: newPk(), sk: 'A' };

      await assert.rejects(table().count(key, { calls: 0.5 }), { code: 'InvalidInput', message: /calls .* 0.5/ });
      await assert.rejects(table().count(key, { calls: 1 }, { calls: Number.NaN }), { code: 'InvalidInput' });
    });

    test('counters may have any name, also __proto__', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const add = JSON.parse('{"__proto__":2,"pk":1,"expires":3,"with space":4,"图":5,"constructor":6}');

      await table().count(key, add, add);
      const counted = await table().count(key, add);

      const twice = JSON.parse('{"__proto__":4,"pk":2,"expires":6,"with space":8,"图":10,"constructor":12}');
      assert.deepEqual(Object.entries(counted ?? {}).sort(), Object.entries(twice).sort());
      assert.deepEqual(await table().get(key), { key, revision: 2, body: counted });
    });

    test('an expired counter restarts; without a new expiry the old one stays', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };
      const expires = Math.floor(clock.ms / 1000) + 20;
      await table().count(key, { calls: 3 }, {}, expires);
      await table().count(key, { calls: 1 });
      assert.equal((await table().get(key))?.expires, expires);
      clock.ms += 20_000;

      assert.deepEqual(await table().count(key, { calls: 1 }, { calls: 1 }, expires + 60), { calls: 1 });

      assert.deepEqual(await table().get(key), { key, revision: 1, expires: expires + 60, body: { calls: 1 } });
    });

    test('200 concurrent additions from 4 tables use the limit up and never pass it', async () => {
      const key = { pk: newPk(), sk: 'QUOTA' };
      const tables = Array.from({ length: 4 }, () => storage().open());

      const counted = await Promise.all(
        Array.from({ length: 200 }, (_, n) => tables[n % 4]?.count(key, { calls: 1, micros: 7 }, { calls: 150 })),
      );

      assert.equal(counted.filter((result) => result !== undefined).length, 150);
      assert.deepEqual((await table().get(key))?.body, { calls: 150, micros: 1050 });
      assert.equal(new Set(counted.map((result) => result?.calls)).size, 151);
      for (const opened of tables) if (opened !== table()) await opened.close();
    });
  });
}
