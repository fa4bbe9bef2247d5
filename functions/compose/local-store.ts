import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileBlobs } from '../../shared/adapters/files/blobs.ts';
import { localDataKeys } from '../../shared/adapters/files/local-keys.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { Blobs, Clock, Table } from '../../shared/kernel/ports.ts';
import type { DataKeys } from '../../shared/kernel/secret-box.ts';
import { secretsKey, signingKey, tokenKey, uploadSecret } from './local-secrets.ts';

/** The storage of the product on one machine. */
export interface LocalStore {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly signingKey: KeyObject;
  /** Where model files are put so that they can be opened. */
  readonly modelFolder: string;
  /** The folder in which the graphs of models that ran are kept. */
  readonly graphFolder?: string;
  /** The secret that signs upload addresses. */
  readonly uploadSecret?: () => Uint8Array;
  /** The key that signs access tokens. */
  readonly tokenKey?: () => KeyObject;
  /** The keys that encrypt stored secrets. */
  readonly dataKeys: () => DataKeys;
  /** The folder that a tenant's file tools are confined to. */
  readonly filesOf?: (tenant: string) => string;
}

/** SQLite and files in a data directory; `files` is the default tenant's folder where one is configured. */
export const dataDirectory = (data: string, clock: Clock, files?: string): LocalStore => {
  const folder = resolve(data);
  makeFolder(folder);
  return {
    table: sqliteTable({ path: join(folder, 'assay.db'), now: clock.now }),
    blobs: fileBlobs(join(folder, 'blobs')),
    signingKey: signingKey(folder),
    modelFolder: join(folder, 'model-cache'),
    graphFolder: graphFolder(folder),
    uploadSecret: () => uploadSecret(folder),
    tokenKey: () => tokenKey(folder),
    dataKeys: () => localDataKeys(secretsKey(folder)),
    filesOf: (tenant) =>
      tenant === 'default' ? (files ?? join(folder, 'files')) : join(folder, 'tenant-files', tenant),
  };
};

/** Everything in memory; there are no file tools unless a folder is given. */
export const inMemory = (clock: Clock, files?: string): LocalStore => ({
  table: memoryTable({ now: clock.now }),
  blobs: memoryBlobs(),
  signingKey: generateKeyPairSync('ed25519').privateKey,
  modelFolder: join(tmpdir(), 'assay-model-cache'),
  dataKeys: () => localDataKeys(randomBytes(32)),
  filesOf: files === undefined ? undefined : (tenant) => (tenant === 'default' ? files : join(files, tenant)),
});

/** The folder in which the graphs of models that ran are kept. */
export const graphFolder = (folder: string): string => join(folder, 'graph-cache');

const makeFolder = (folder: string): void => {
  try {
    makeMissing(folder);
    // A folder created by an earlier release was readable by all users.
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw new Fault(
      'Unavailable',
      `the data directory ${folder} cannot be made (${messageOf(cause)}); choose another with --data`,
      {},
      { cause },
    );
  }
};

/** `recursive` of `mkdirSync` never returns where a file system makes no folders, such as in `/proc`. */
const makeMissing = (folder: string): void => {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeMissing(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process may have made it in between.
    if (!isFolder(folder)) throw thrown;
  }
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
