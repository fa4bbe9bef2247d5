import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import type { Registration } from '../../shared/model/registration.ts';
import { testAssay } from '../support/assay.ts';
import { localCalls, startDynamo, whyNoDynamo } from '../support/dynamo.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

/** Four clients register 64 versions of one tool at once; what was acknowledged must be there. */
const registersAll = async (open: () => Table): Promise<void> => {
  const clients = await Promise.all([0, 1, 2, 3].map(() => testAssay({ table: open() })));
  const acknowledged: string[] = [];
  await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const version = `1.${index}.0`;
      const { status } = (await clients[index % 4]?.json('POST', '/v1/tools', aTool({ version }))) ?? {};
      if (status === 201) acknowledged.push(version);
    }),
  );

  const last = await testAssay({ table: open() });
  const { body } = await last.json<Registration>('GET', '/v1/tools/weather_lookup');
  assert.equal(acknowledged.length, 64);
  assert.deepEqual(body.versions.toSorted(), acknowledged.toSorted());
  assert.equal(body.default_version, '1.63.0');
  const { body: snapshot } = await last.json<{ revision: number }>('GET', '/v1/snapshot');
  assert.equal(snapshot.revision, 64);
  for (const { assay } of [...clients, last]) await assay.table.close();
};

describe('64 concurrent changes to one tool from 4 clients', () => {
  test('R4.09a concurrent changes are all applied in memory', async () => {
    const table = memoryTable();
    await registersAll(() => ({ ...table, close: async () => {} }));
  });

  test('R4.09a concurrent changes are all applied by SQLite', async (t) => {
    const directory = await temporaryDirectory(t);
    await registersAll(() => sqliteTable({ path: join(directory, 'assay.db') }));
  });

  test('R4.09a C.02 concurrent changes are all applied by DynamoDB', { skip: whyNoDynamo() ?? false }, async (t) => {
    const dynamo = await startDynamo();
    t.after(() => dynamo.stop());
    await registersAll(() => dynamoTable({ call: localCalls(dynamo.endpoint), tableName: dynamo.tableName }));
  });
});
