import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { startTableClient } from '../support/table-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('a file that is not a database is refused by name and left unchanged', async (t) => {
  const path = join(await temporaryDirectory(t), 'notes.txt');
  const notes = 'these are notes, and there are many of them. '.repeat(100);
  await writeFile(path, notes);

  assert.throws(() => sqliteTable({ path }), { code: 'Unavailable', message: /notes\.txt is not a database; choose/ });
  assert.equal(await readFile(path, 'utf8'), notes);
});

test('a directory that cannot be created or written is reported with what to do', async (t) => {
  const file = join(await temporaryDirectory(t), 'file');
  await writeFile(file, '');

  assert.throws(() => sqliteTable({ path: join(file, 'data', 'assay.db') }), {
    code: 'Unavailable',
    message: /file\/data\/assay\.db cannot be opened; make its directory writable or choose another/,
  });
  assert.throws(() => sqliteTable({ path: '/proc/assay.db' }), { code: 'Unavailable', message: /cannot be opened/ });
});

test('a truncated SQLite item is refused by its key, kept unchanged, and does not hide the others of its page', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');
  const table = sqliteTable({ path });
  const [cut, whole] = [
    { pk: 'P', sk: 'A' },
    { pk: 'P', sk: 'B' },
  ];
  await table.write([cut, whole].map((key) => ({ put: key, body: { v: 1, text: 'x' } })));
  const database = new DatabaseSync(path);
  database.exec(`UPDATE items SET body = '{"v":1,"te' WHERE sk = 'A'`);

  const { items } = await table.query('P');
  assert.deepEqual(
    items.map(({ key, isDamaged }) => [key.sk, isDamaged]),
    [
      ['A', true],
      ['B', undefined],
    ],
  );
  assert.deepEqual(items[1]?.body, { v: 1, text: 'x' });
  const refusal = { code: 'Unavailable', message: /the stored item P A cannot be read.*nothing was changed/ };
  assert.throws(() => items[0]?.body, refusal);
  await assert.rejects(
    table.change([cut], ([item]) => ({ writes: [{ put: cut, body: { ...item?.body } }], result: 0 })),
    refusal,
  );
  await assert.rejects(table.count(cut, { calls: 1 }), refusal);
  assert.equal(database.prepare(`SELECT body FROM items WHERE sk = 'A'`).get()?.body, '{"v":1,"te');
  database.close();
  await table.close();
});

test('a missing data directory is created', async (t) => {
  const path = join(await temporaryDirectory(t), 'a', 'b', 'assay.db');

  const table = sqliteTable({ path });
  await table.write([{ put: { pk: 'P', sk: 'A' }, body: { text: 'x' } }]);
  await table.close();

  assert.ok(sqliteTable({ path }));
});

test('a database file of a newer release is refused and not damaged', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 99');
  database.close();

  assert.throws(() => sqliteTable({ path }), {
    code: 'Unavailable',
    message: /version 99.*use the release that wrote/,
  });
});

test('when the disk is full a change is refused, earlier changes stay, and reading works', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');
  // The shell's limit on the size of files, 1200 blocks, stands in for a full disk.
  const script = `
    import { sqliteTable } from './shared/adapters/sqlite/table.ts';
    const table = sqliteTable({ path: process.argv[1] });
    const stored = [];
    try {
      for (let n = 0; n < 100; n++) {
        await table.write([{ put: { pk: 'P', sk: String(n).padStart(2, '0') }, body: { text: 'x'.repeat(20000) } }]);
        stored.push(n);
      }
    } catch (thrown) {
      const read = await table.query('P');
      console.log(JSON.stringify({ code: thrown.code, message: thrown.message, stored: stored.length, read: read.items.length }));
    }`;

  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1200; exec "$0" --input-type=module-typescript -e "$1" "$2"', process.execPath, script, path],
    { encoding: 'utf8' },
  );

  assert.notEqual(stdout, '', stderr);
  const { code, message, stored, read } = JSON.parse(stdout);
  assert.equal(code, 'Unavailable');
  assert.match(message, /assay\.db (is on a full disk|cannot be read or written); ?.*free/);
  assert.ok(stored > 5);
  assert.equal(read, stored);
  const { items } = await sqliteTable({ path }).query('P');
  assert.equal(items.length, stored);
});

test('SQLite waits for another process’s lock without blocking, and reports it in the end', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');
  const table = sqliteTable({ path, busyTimeoutMs: 200 });
  const other = new DatabaseSync(path);
  const write = () => table.write([{ put: { pk: 'P', sk: 'A' }, body: { text: 'x' } }]);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  t.after(() => clearInterval(ticking));

  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(write(), { code: 'Unavailable', message: /locked by another process; try again/ });
  assert.equal(await table.get({ pk: 'P', sk: 'A' }), undefined);
  const patient = write();
  setTimeout(() => other.exec('COMMIT'), 50);
  await patient;

  assert.ok(ticks > 3, `the process stood still: ${ticks} ticks`);
  assert.deepEqual((await table.get({ pk: 'P', sk: 'A' }))?.body, { text: 'x' });
});

test('several processes may create the database at the same moment', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');

  const ids = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((client) =>
      startTableClient({ address: { kind: 'sqlite', path }, key: { pk: 'P', sk: 'A' }, client, changes: 3 }).ids(),
    ),
  );

  assert.equal(ids.flat().length, 18);
});

test('expired items are deleted from the file over time, a bounded number at once', async (t) => {
  const path = join(await temporaryDirectory(t), 'assay.db');
  let ms = 1_000_000;
  const table = sqliteTable({ path, now: () => ms });
  const items = Array.from({ length: 700 }, (_, n) => ({ put: { pk: 'P', sk: `${n}` }, body: {}, expires: 1030 }));
  await table.write([...items, { put: { pk: 'P', sk: 'stays' }, body: {} }]);
  const stored = () => Number(new DatabaseSync(path).prepare('SELECT count(*) AS n FROM items').get()?.n);

  ms += 61_000;
  const counts = [stored()];
  for (const sk of ['a', 'b', 'c']) {
    await table.write([{ put: { pk: 'Q', sk }, body: {} }]);
    counts.push(stored());
  }

  assert.deepEqual(counts, [701, 202, 3, 4]);
});
