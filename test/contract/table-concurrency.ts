import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Key, Table } from '../../shared/kernel/ports.ts';
import { tries } from '../support/sampling.ts';
import { appendMany, startTableClient } from '../support/table-client.ts';
import type { TableTest } from './table.ts';

const clients = [0, 1, 2, 3];
const processes = clients.slice(0, tries(2, 4));
const CHANGES = tries(12, 64);

export function testTableConcurrency({ table, storage, newPk, isShared }: TableTest): void {
  describe('table concurrency', () => {
    const withTables = async (use: (tables: readonly Table[]) => Promise<void>): Promise<void> => {
      const tables = clients.map(() => storage().open());
      await use(tables);
      for (const opened of tables) if (opened !== table()) await opened.close();
    };

    const assertKept = async (key: Key, acknowledged: readonly string[]): Promise<void> => {
      const stored = (await table().get(key))?.body.ids as string[];
      assert.deepEqual(stored.toSorted(), acknowledged.toSorted());
      assert.equal((await table().get(key))?.revision, acknowledged.length);
    };

    test('concurrent changes to one item from several clients are all applied', async () => {
      const key = { pk: newPk(), sk: 'A' };

      await withTables(async (tables) => {
        const acknowledged = await Promise.all(tables.map((opened, n) => appendMany(opened, key, `${n}`, CHANGES)));

        assert.equal(acknowledged.flat().length, clients.length * CHANGES);
        await assertKept(key, acknowledged.flat());
      });
    });

    const skip = isShared ? false : 'this storage lives in one process';
    test('concurrent changes to one item from several processes are all applied', { skip }, async () => {
      const { address } = storage();
      assert.ok(address);
      const key = { pk: newPk(), sk: 'A' };

      const acknowledged = await Promise.all(
        processes.map((n) => startTableClient({ address, key, client: `${n}`, changes: CHANGES }).ids()),
      );

      assert.equal(acknowledged.flat().length, processes.length * CHANGES);
      await assertKept(key, acknowledged.flat());
    });

    test('concurrent transfers between items neither lose nor create anything', async () => {
      const pk = newPk();
      const keys = ['A', 'B', 'C', 'D'].map((sk) => ({ pk, sk }));
      await table().write(keys.map((put) => ({ put, body: { coins: 100, text: 'x' } })));
      const coinsOf = (item: { readonly body: Readonly<Record<string, unknown>> } | undefined) =>
        Number(item?.body.coins);
      const move = (opened: Table, from: Key, to: Key) =>
        opened.change([from, to], ([a, b]) => ({
          writes: [
            { put: from, body: { coins: coinsOf(a) - 1, text: 'x' } },
            { put: to, body: { coins: coinsOf(b) + 1, text: 'x' } },
          ],
          result: undefined,
        }));
      const total = (opened: Table) =>
        opened.change(keys, (items) => ({ writes: [], result: items.map(coinsOf).reduce((a, b) => a + b) }));

      await withTables(async (tables) => {
        const totals = await Promise.all(
          tables.flatMap((opened, n) =>
            Array.from({ length: tries(4, 8) }, async (_, round) => {
              await move(opened, at(keys, n + round), at(keys, n + round + 1 + (round % 3)));
              return total(opened);
            }),
          ),
        );

        assert.deepEqual(new Set(totals), new Set([400]));
      });
    });

    test('an item that a change only reads is guarded too: the last doctor on call stays', async () => {
      await withTables(async (tables) => {
        for (let round = 0; round < tries(4, 10); round++) {
          const pk = newPk();
          const keys = ['A', 'B', 'C', 'D'].map((sk) => ({ pk, sk }));
          await table().write(keys.map((put) => ({ put, body: { isOnCall: true } })));

          await Promise.all(
            tables.map((opened, n) =>
              opened.change(keys, (items) => ({
                writes:
                  items.filter((item) => item?.body.isOnCall).length > 1
                    ? [{ put: at(keys, n), body: { isOnCall: false } }]
                    : [],
                result: undefined,
              })),
            ),
          );

          const { items } = await table().query(pk);
          assert.equal(items.filter(({ body }) => body.isOnCall).length, 1);
        }
      });
    });

    test('of many that create the same item, one succeeds', async () => {
      const key = { pk: newPk(), sk: 'ONCE' };

      await withTables(async (tables) => {
        const made = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            at(tables, n).change([key], ([item]) => ({
              writes: item ? [] : [{ put: key, body: { maker: `${n}` } }],
              result: !item,
            })),
          ),
        );

        assert.equal(made.filter(Boolean).length, 1);
        assert.equal((await table().get(key))?.body.maker, `${made.indexOf(true)}`);
      });
    });
  });
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}
