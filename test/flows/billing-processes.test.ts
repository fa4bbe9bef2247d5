import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sumOfKey } from '../../shared/execute/billing/recount.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { quotaKey } from '../../shared/kernel/quota-keys.ts';
import type { TableAddress } from '../contract/table.ts';
import type { TestAssay } from '../support/assay.ts';
import { type LocalDynamo, startDynamo, whyNoDynamo } from '../support/dynamo.ts';
import { callSlow, payingAssay, SKEW_MS, slowTool, startPayingClient } from '../support/paying-client.ts';
import { tries } from '../support/sampling.ts';
import { openTable } from '../support/table-client.ts';

const month = new Date().toISOString().slice(0, 7);
const PROCESSES = tries(2, 4);
const CALLS = tries(28, 125);
const QUOTA = tries(40, 100);
const CHARGED = { calls: QUOTA, micros: 3 * QUOTA };

interface Shop {
  readonly name: string;
  readonly address: TableAddress;
  readonly assay: TestAssay;
  readonly table: Table;
}

describe('several processes on one quota', () => {
  let dynamo: LocalDynamo | undefined;
  let shops: readonly Shop[];
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-'));
    dynamo = whyNoDynamo() === undefined ? await startDynamo() : undefined;
    const addresses: Record<string, TableAddress> = {
      SQLite: { kind: 'sqlite', path: join(directory, 'assay.db') },
      ...(dynamo && { DynamoDB: { kind: 'dynamo', endpoint: dynamo.endpoint, tableName: dynamo.tableName } }),
    };
    shops = await Promise.all(
      Object.entries(addresses).map(async ([name, address]) => {
        const table = await openTable(address);
        const assay = await payingAssay(table, SKEW_MS);
        await assay.json('POST', '/v1/tools', slowTool);
        return { name, address, assay, table };
      }),
    );
  });
  after(async () => {
    for (const { assay } of shops) await assay.assay.close();
    await dynamo?.stop();
    await rm(directory, { recursive: true });
  });

  const newKeys = () =>
    Promise.all(shops.map(({ assay }) => assay.key({ scopes: ['invoke'], quota: { calls: QUOTA } })));
  const idOf = (key: string | undefined): string => key?.split('_')[1] ?? '';
  const counterOf = async (table: Table, key: string | undefined) => {
    const { calls, micros } = (await table.get(quotaKey(idOf(key), month)))?.body ?? {};
    return { calls, micros };
  };

  test(`C.06 concurrent calls of several processes on a quota of ${QUOTA} charge exactly ${QUOTA}, and the others are told when it resets`, async () => {
    const payers = await newKeys();
    const tasks = shops.map(({ address }, index) => ({ address, payer: payers[index] ?? '' }));
    const clients = Array.from({ length: PROCESSES }, () => startPayingClient({ shops: tasks, calls: CALLS }));
    await Promise.all(clients.map(({ ready }) => ready()));
    for (const { begin } of clients) begin();
    const answers = (await Promise.all(clients.map((client) => client.answers()))).flat();

    for (const [shop, { name, assay, table }] of shops.entries()) {
      const own = answers.filter((answer) => answer.shop === shop);
      assert.equal(own.length, PROCESSES * CALLS, name);
      assert.equal(own.filter(({ status }) => status === 200).length, QUOTA, name);
      const refused = own.filter(({ status }) => status === 402);
      assert.equal(refused.length, PROCESSES * CALLS - QUOTA, name);
      for (const { resetsAt } of refused) assert.match(resetsAt ?? '', /^\d{4}-\d\d-01T00:00:00/);
      assert.deepEqual(await counterOf(table, payers[shop]), CHARGED, name);
      assert.deepEqual((await sumOfKey(table, 'default', idOf(payers[shop]), month)).ended, CHARGED, name);
      const { body } = await assay.json<Verification>('GET', '/v1/usage/verification');
      // On DynamoDB usage is folded by the table's stream, which does not run here.
      const differences = body.differences.filter(({ what }) => what === 'quota' || !table.streams);
      assert.deepEqual(differences, [], name);
    }
  });

  test('C.06 kill -9 during calls leaves no charge without its row, and releases what was reserved', async () => {
    const payers = await newKeys();
    const tasks = shops.map(({ address }, index) => ({ address, payer: payers[index] ?? '' }));
    const client = startPayingClient({ shops: tasks });
    await client.ready();
    client.begin();
    await client.answered(12);
    client.kill();
    const answers = await client.answers();

    for (const [shop, { name, assay, table }] of shops.entries()) {
      const payer = payers[shop] ?? '';
      const charged = answers.filter((answer) => answer.shop === shop && answer.status === 200);
      for (const { call = '' } of charged) assert.ok(await table.get(callKey('default', call)), `${name} ${call}`);
      const { ended: ledger } = await sumOfKey(table, 'default', idOf(payer), month);
      const counter = await counterOf(table, payer);
      assert.ok(Number(counter?.calls) >= ledger.calls + 2, `${name}: nothing was caught`);
      assert.ok(ledger.calls >= charged.length, name);

      // Once its reservations have lapsed, what nobody paid for can be used again; not one call more.
      const left = QUOTA - ledger.calls;
      let used = 0;
      for (let tries = 0; used < left && tries < 200; tries++) {
        if ((await callSlow(assay, payer)).status === 200) used++;
        else await wait(SKEW_MS);
      }
      assert.equal(used, left, name);
      assert.equal((await callSlow(assay, payer)).status, 402, name);
      assert.deepEqual(await counterOf(table, payer), CHARGED, name);
      assert.deepEqual((await sumOfKey(table, 'default', idOf(payer), month)).ended, CHARGED, name);
    }
  });
});
