import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { startTableClient } from '../support/table-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('after kill -9 during a stream of changes every acknowledged change is stored and none is half-written', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');
  const key = { pk: 'T#default', sk: 'TOOL#a' };
  const acknowledged: string[] = [];

  for (const [round, count] of [40, 1, 150].entries()) {
    const client = startTableClient({ address: { kind: 'sqlite', path }, key, client: `${round}` });
    await client.acknowledged(count);
    client.kill();
    acknowledged.push(...(await client.ids()));

    const table = sqliteTable({ path });
    const stored = (await table.get(key))?.body.ids as string[];
    const journal = await table.query(key.pk, { prefix: 'CHANGE#' });
    const revision = await table.get({ pk: key.pk, sk: 'REVISION' });
    await table.close();

    assert.ok(new Set(acknowledged).isSubsetOf(new Set(stored)), 'an acknowledged change is lost');
    assert.ok(stored.length <= acknowledged.length + round + 1, 'only the change in hand may be stored unacknowledged');
    assert.deepEqual(
      journal.items.map(({ body }) => body.id),
      stored,
    );
    assert.equal(revision?.body.n, stored.length);
  }
});
