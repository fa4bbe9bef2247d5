import { after, before, describe } from 'node:test';
import type { Table } from '../../shared/kernel/ports.ts';
import { testLeases } from './leases.ts';
import { testTableChanges } from './table-changes.ts';
import { testTableConcurrency } from './table-concurrency.ts';
import { testTableCounts } from './table-counts.ts';
import { testTableItems } from './table-items.ts';
import { testTableQueries } from './table-queries.ts';

/** Storage under test: every table it opens sees the same items. */
export interface TestStorage {
  open(): Table;
  dispose(): Promise<void>;
  /** What `test/support/table-client.ts` opens the same storage with, where other processes can. */
  readonly address?: TableAddress;
}

export type TableAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'dynamo'; readonly endpoint: string; readonly tableName: string };

/** What the tests of a section work with. */
export interface TableTest {
  readonly table: () => Table;
  readonly storage: () => TestStorage;
  /** A partition that no other test uses. */
  readonly newPk: () => string;
  /** The time that tables see; tests set it forward. */
  readonly clock: { ms: number };
  /** Whether other processes can open the storage by its address. */
  readonly isShared: boolean;
}

/** What every table promises; `makeStorage` gives empty storage whose tables read the given clock. */
export function tableContract(
  name: string,
  makeStorage: (now: () => number) => Promise<TestStorage>,
  { isShared }: { readonly isShared: boolean },
): void {
  describe(name, () => {
    const clock = { ms: Date.parse('2026-11-01T00:00:00Z') };
    let storage: TestStorage | undefined;
    let table: Table | undefined;
    let partitions = 0;

    before(async () => {
      storage = await makeStorage(() => clock.ms);
      table = storage.open();
    });
    after(async () => {
      await table?.close();
      await storage?.dispose();
    });

    const given: TableTest = {
      table: () => table ?? missing(),
      storage: () => storage ?? missing(),
      newPk: () => `P#${++partitions}`,
      clock,
      isShared,
    };
    testTableItems(given);
    testTableChanges(given);
    testTableQueries(given);
    testTableCounts(given);
    testTableConcurrency(given);
    testLeases(given);
  });
}

function missing(): never {
  throw new Error('the storage has not been made');
}
