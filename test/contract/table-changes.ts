import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Item, Key } from '../../shared/kernel/ports.ts';
import type { TableTest } from './table.ts';

export function testTableChanges({ table, newPk }: TableTest): void {
  describe('table changes', () => {
    const add = (key: Key) =>
      table().change([key], ([item]) => {
        const n = Number(item?.body.n ?? 0) + 1;
        return { writes: [{ put: key, body: { n, text: 'x' } }], result: n };
      });

    test('a change reads the stored item, stores what its function returns, and passes on the result', async () => {
      const key = { pk: newPk(), sk: 'A' };

      assert.deepEqual([await add(key), await add(key), await add(key)], [1, 2, 3]);

      assert.deepEqual((await table().get(key))?.body, { n: 3, text: 'x' });
    });

    test('each change increments the revision, and a blind write restarts it', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const revisions: (number | undefined)[] = [];
      for (const act of [add, add, add, () => table().write([{ put: key, body: {} }]), add]) {
        await act(key);
        revisions.push((await table().get(key))?.revision);
      }

      assert.deepEqual(revisions, [1, 2, 3, 1, 2]);
    });

    test('a change may delete the item that it read', async () => {
      const key = { pk: newPk(), sk: 'A' };
      await add(key);

      await table().change([key], () => ({ writes: [{ remove: key }], result: undefined }));

      assert.equal(await table().get(key), undefined);
      assert.equal(await add(key), 1);
    });

    test('a change that writes nothing leaves every item as it is', async () => {
      const [a, b] = [newPk(), newPk()].map((pk) => ({ pk, sk: 'A' })) as [Key, Key];
      await add(a);

      const result = await table().change([a, b], (items) => ({ writes: [], result: items.map((i) => i?.body.n) }));

      assert.deepEqual(result, [1, undefined]);
      assert.equal((await table().get(a))?.revision, 1);
    });

    test('a change that throws stores nothing, and its error arrives unchanged', async () => {
      const [a, b] = [newPk(), newPk()].map((pk) => ({ pk, sk: 'A' })) as [Key, Key];
      const refusal = new Fault('Conflict', 'no');

      for (const keys of [[a], [a, b]])
        await assert.rejects(
          table().change(keys, () => {
            throw refusal;
          }),
          (thrown) => thrown === refusal,
        );

      assert.equal(await table().get(a), undefined);
      assert.equal(await add(a), 1);
    });

    test('several items change together, passed in the order of the keys', async () => {
      const pk = newPk();
      const keys = ['A', 'B', 'C'].map((sk) => ({ pk, sk }));
      await table().write([{ put: { pk, sk: 'B' }, body: { name: 'b' } }]);

      const seen = await table().change(keys, (items) => ({
        writes: [
          { put: { pk, sk: 'A' }, body: { name: 'a' } },
          { remove: { pk, sk: 'B' } },
          { put: { pk, sk: 'D' }, body: { name: 'unread' } },
        ],
        result: items.map((item) => item?.body.name),
      }));

      assert.deepEqual(seen, [undefined, 'b', undefined]);
      assert.deepEqual(namesOf((await table().query(pk)).items), ['A=a', 'D=unread']);
    });

    test('an item that a change writes without reading restarts its revision', async () => {
      const [a, b] = [newPk(), newPk()].map((pk) => ({ pk, sk: 'A' })) as [Key, Key];
      for (const key of [a, a, b, b]) await add(key);

      await table().change([a], () => ({ writes: [a, b].map((put) => ({ put, body: { n: 9 } })), result: undefined }));

      assert.deepEqual([(await table().get(a))?.revision, (await table().get(b))?.revision], [3, 1]);
    });

    test('one invalid write in a change prevents all its writes', async () => {
      const pk = newPk();
      const bad = { code: 'TooLarge' };

      const change = table().change([{ pk, sk: 'A' }], () => ({
        writes: [
          { put: { pk, sk: 'A' }, body: { name: 'a' } },
          { put: { pk, sk: 'B' }, body: { text: 'x'.repeat(410_000) } },
        ],
        result: undefined,
      }));

      await assert.rejects(change, bad);
      assert.deepEqual((await table().query(pk)).items, []);
    });

    test('100 items can change together; 101 are refused with what to do', async () => {
      const pk = newPk();
      const keys = Array.from({ length: 101 }, (_, n) => ({ pk, sk: `N#${n}` }));
      const changeAll = (count: number) =>
        table().change(keys.slice(0, 1), () => ({
          writes: keys.slice(0, count).map((put, n) => ({ put, body: { n, text: '' } })),
          result: count,
        }));

      assert.equal(await changeAll(100), 100);
      await assert.rejects(changeAll(101), { code: 'TooLarge', message: /at most 100 items, not 101; split/ });

      assert.equal((await table().query(pk)).items.length, 100);
    });

    test('a change of more than 4 MB is refused', async () => {
      const pk = newPk();
      const change = table().change([], () => ({
        writes: Array.from({ length: 11 }, (_, n) => ({
          put: { pk, sk: `N#${n}` },
          body: { text: 'x'.repeat(400_000) },
        })),
        result: undefined,
      }));

      await assert.rejects(change, { code: 'TooLarge', message: /4194304 bytes/ });
      assert.deepEqual((await table().query(pk)).items, []);
    });

    test('an item written twice in one change is refused', async () => {
      const key = { pk: newPk(), sk: 'A' };
      const write = { put: key, body: {} };

      const change = table().change([key], () => ({ writes: [write, write], result: undefined }));

      await assert.rejects(change, { code: 'InvalidInput', message: /written twice/ });
      await assert.rejects(table().write([write, write]), { code: 'InvalidInput' });
    });

    test('a key passed twice to a change is read twice and guarded once', async () => {
      const key = { pk: newPk(), sk: 'A' };

      await table().change([key, key], () => ({ writes: [{ put: key, body: { text: 'x' } }], result: 0 }));

      assert.deepEqual((await table().get(key))?.body, { text: 'x' });
    });
  });
}

const namesOf = (items: readonly Item[]): string[] => items.map(({ key, body }) => `${key.sk}=${body.name}`);
