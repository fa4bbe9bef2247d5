import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Item, Key, Page, PageQuery, Table } from '../../shared/kernel/ports.ts';
import { tries } from '../support/sampling.ts';
import type { TableTest } from './table.ts';

export function testTableQueries({ table, newPk, clock }: TableTest): void {
  describe('table queries', () => {
    const fill = async (sortKeys: readonly string[], expires?: number): Promise<string> => {
      const pk = newPk();
      await table().write(
        sortKeys.map((sk) => ({ put: { pk, sk }, body: { sk }, ...(expires !== undefined && { expires }) })),
      );
      return pk;
    };

    test('a scan finds the items of every partition with a prefix, in pages, without expired or deleted ones', async () => {
      const own = newPk();
      const names = Array.from({ length: 450 }, (_, at) => `${own}#${at % 7}`);
      await table().write(names.map((pk, at) => ({ put: { pk, sk: `S${at}` }, body: { at } })));
      await table().write([
        { put: { pk: `${own}#x`, sk: 'OLD' }, body: {}, expires: clock.ms / 1000 - 1 },
        { put: { pk: `${own}!`, sk: 'OTHER' }, body: {} },
        { remove: { pk: `${own}#0`, sk: 'S0' } },
      ]);

      const found: unknown[] = [];
      let after: Key | undefined;
      do {
        const { items, next } = await table().scan(`${own}#`, after);
        found.push(...items.map(({ body }) => body.at));
        after = next;
      } while (after);

      assert.deepEqual(
        found.toSorted((a, b) => Number(a) - Number(b)),
        names.map((_, at) => at).slice(1),
      );
    });

    test('pages that end after some bytes have an item at least, and join to all items in their order', async () => {
      const sortKeys = Array.from({ length: 30 }, (_, n) => `S${String(n).padStart(2, '0')}`);
      const pk = newPk();
      await table().write(sortKeys.map((sk, n) => ({ put: { pk, sk }, body: { text: 'x'.repeat(100 * n) } })));
      for (const bytes of [1, 1000, 10_000, 1_000_000])
        for (const reverse of [false, true]) {
          const found: string[] = [];
          for (let after: string | undefined; ; ) {
            const { items, next }: Page = await table().query(pk, { bytes, reverse, after, prefix: 'S' });
            assert.ok(items.length > 0 || next === undefined);
            found.push(...keysOf(items));
            if (next === undefined) break;
            after = next;
          }
          assert.deepEqual(found, reverse ? sortKeys.toReversed() : sortKeys);
        }
    });

    test('an empty partition is an empty last page', async () => {
      assert.deepEqual(await table().query(newPk()), { items: [] });
    });

    test('items are listed in byte order, whatever the order of writing', async () => {
      const inOrder = ['A', 'B', 'a', 'z', 'ä', '\uff5e', '𝒳'];
      const pk = await fill(inOrder.toReversed());

      assert.deepEqual(keysOf((await table().query(pk)).items), inOrder);
      assert.deepEqual(keysOf((await table().query(pk, { reverse: true })).items), inOrder.toReversed());
    });

    test('a query by prefix returns the items that begin with it and no others', async () => {
      const pk = await fill(['TOOK', 'TOOL', 'TOOL#', 'TOOL#a', 'TOOL#图', 'TOOL#\uffff', 'TOOL$', 'TOOM']);

      const { items } = await table().query(pk, { prefix: 'TOOL#' });

      assert.deepEqual(keysOf(items), ['TOOL#', 'TOOL#a', 'TOOL#图', 'TOOL#\uffff']);
    });

    test('the last page has no cursor, also when it is exactly full', async () => {
      const pk = await fill(['A', 'B', 'C', 'D']);

      const first = await table().query(pk, { limit: 2 });
      const second = await table().query(pk, { limit: 2, after: 'B' });

      assert.deepEqual([keysOf(first.items), first.next], [['A', 'B'], 'B']);
      assert.deepEqual([keysOf(second.items), 'next' in second], [['C', 'D'], false]);
    });

    test('pages follow each other without gaps or repeats, in both directions', async () => {
      const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '#', 'é', '𝒳'), minLength: 1 }));
      const query = fc.record({
        prefix: fc.constantFrom('', 'a', 'a#', 'é', '𝒳'),
        limit: fc.integer({ min: 1, max: 5 }),
        reverse: fc.boolean(),
        after: fc.constantFrom('', 'a', 'ab', '#', 'é', '𝒳𝒳'),
      });
      await fc.assert(
        fc.asyncProperty(names, query, async (sortKeys, { after, ...query }) => {
          const pk = await fill(sortKeys);

          const pages = await allPages(table(), pk, after === '' ? query : { ...query, after });

          const order = query.reverse ? -1 : 1;
          const expected = sortKeys
            .filter((sk) => sk.startsWith(query.prefix) && (after === '' || byBytes(sk, after) * order > 0))
            .sort((a, b) => byBytes(a, b) * order);
          assert.deepEqual(pages.flatMap(keysOf), expected);
          assert.ok(pages.slice(0, -1).every((page) => page.length === query.limit));
          assert.ok(pages.length === 1 || pages.at(-1)?.length !== 0);
        }),
        { numRuns: tries(12, 100) },
      );
    });

    test('a cursor of a missing item, or one outside the prefix, is only compared', async () => {
      const pk = await fill(['A', 'B1', 'B3', 'C']);
      const keys = async (query: PageQuery) => keysOf((await table().query(pk, query)).items);

      assert.deepEqual(await keys({ after: 'B2' }), ['B3', 'C']);
      assert.deepEqual(await keys({ prefix: 'B', after: 'A' }), ['B1', 'B3']);
      assert.deepEqual(await keys({ prefix: 'B', after: 'C' }), []);
      assert.deepEqual(await keys({ prefix: 'B', after: 'A', reverse: true }), []);
      assert.deepEqual(await keys({ prefix: 'B', after: 'C', reverse: true }), ['B3', 'B1']);
    });

    test('expired items are left out, and pages are still full', async () => {
      const soon = Math.floor(clock.ms / 1000) + 5;
      const pk = await fill(['A', 'D'], soon + 60);
      const goes = ['B', 'C', 'E'].map((sk) => ({ put: { pk, sk }, body: {}, expires: soon }));
      await table().write([...goes, { put: { pk, sk: 'F' }, body: {} }]);
      clock.ms += 5000;

      const pages = await allPages(table(), pk, { limit: 2 });

      assert.deepEqual(pages.map(keysOf), [['A', 'D'], ['F']]);
      assert.equal('next' in (await table().query(pk, { limit: 3 })), false);
    });

    test('a query of several megabytes returns every item, in one answer or in pages', async () => {
      const names = Array.from({ length: 60 }, (_, n) => `N#${String(n).padStart(2, '0')}`);
      const pk = newPk();
      await table().write(names.map((sk) => ({ put: { pk, sk }, body: { text: 'x'.repeat(50_000) } })));

      const whole = await table().query(pk, { prefix: 'N#' });
      const pages = await allPages(table(), pk, { limit: 25, reverse: true });

      assert.deepEqual([keysOf(whole.items), 'next' in whole], [names, false]);
      assert.deepEqual(
        pages.map((page) => page.length),
        [25, 25, 10],
      );
      assert.deepEqual(pages.flatMap(keysOf), names.toReversed());
    });

    test('a page size of zero is refused', async () => {
      await assert.rejects(table().query(newPk(), { limit: 0 }), { code: 'InvalidInput', message: /not 0/ });
    });

    test('a forged cursor is refused without a search', async () => {
      await assert.rejects(table().query(newPk(), { after: 'x'.repeat(2000) }), { code: 'InvalidInput' });
      await assert.rejects(table().query(newPk(), { after: 'a\0' }), { code: 'InvalidInput' });
    });
  });
}

async function allPages(table: Table, pk: string, query: PageQuery): Promise<readonly (readonly Item[])[]> {
  const { items, next } = await table.query(pk, query);
  return next === undefined ? [items] : [items, ...(await allPages(table, pk, { ...query, after: next }))];
}

const keysOf = (items: readonly Item[]): string[] => items.map(({ key }) => key.sk);
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
