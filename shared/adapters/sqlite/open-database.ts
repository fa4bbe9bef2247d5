import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault, messageOf } from '../../kernel/errors.ts';

/** Opens the data file, creating and migrating it when needed. */
export function openDatabase(path: string, busyTimeoutMs: number): DatabaseSync {
  try {
    if (path !== ':memory:') makePrivate(path);
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database, path);
    // From here on callers wait for locks without blocking the process: see the table's `patiently`.
    database.exec(`PRAGMA busy_timeout = ${Math.min(busyTimeoutMs, 20)}`);
    return database;
  } catch (thrown) {
    throw sqliteFault(thrown, path) ?? thrown;
  }
}

/**
 * Only the owner may read the file; SQLite gives the files beside it the same mode. An existing file is not opened,
 * because closing it would drop the locks of this process.
 */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  unless('EEXIST', () => closeSync(openSync(path, 'wx', 0o600)));
  // Another process may remove the files beside it at any moment.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) unless('ENOENT', () => chmodSync(file, 0o600));
}

const unless = (code: string, act: () => void): void => {
  try {
    act();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== code) throw thrown;
  }
};

/** The statements of each schema version; released ones are never edited, only added to. */
const migrations = [
  `CREATE TABLE items (
     pk TEXT NOT NULL,
     sk TEXT NOT NULL,
     revision INTEGER NOT NULL,
     expires INTEGER,
     body TEXT NOT NULL,
     PRIMARY KEY (pk, sk)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;`,
] as const;

function migrate(database: DatabaseSync, path: string): void {
  if (versionOf(database) === migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version > migrations.length)
      throw new Fault(
        'Unavailable',
        `${path} has schema version ${version}, this release knows ${migrations.length}; use the release that wrote it`,
      );
    for (const statements of migrations.slice(version)) database.exec(statements);
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.user_version);

/** Whether another process holds the lock, so that a retry helps. */
export const isBusy = (thrown: unknown): boolean => [5, 6].includes(resultCodeOf(thrown) ?? 0);

/** The error message for a failure of the data file; undefined when it is something else. */
export function sqliteFault(thrown: unknown, path: string): Fault | undefined {
  const reason = reasons[resultCodeOf(thrown) ?? (isFileError(thrown) ? 14 : 0)];
  if (!reason) return undefined;
  return new Fault('Unavailable', `${path} ${reason}: ${messageOf(thrown)}`, { path }, { cause: thrown });
}

// SQLite's primary result codes: https://sqlite.org/rescode.html
const reasons: Readonly<Record<number, string>> = {
  5: 'is locked by another process; try again',
  6: 'is locked; try again',
  8: 'cannot be written; make the file and its directory writable',
  10: 'cannot be read or written; check the disk and its free space',
  11: 'is damaged; restore it from a copy',
  13: 'is on a full disk; free some space',
  14: 'cannot be opened; make its directory writable or choose another',
  26: 'is not a database; choose another file',
};

function resultCodeOf(thrown: unknown): number | undefined {
  const isSqlite = thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number';
  return isSqlite ? Number(thrown.errcode) & 0xff : undefined;
}

const isFileError = (thrown: unknown): boolean => thrown instanceof Error && 'syscall' in thrown;
