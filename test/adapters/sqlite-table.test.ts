import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { tableContract } from '../contract/table.ts';

tableContract(
  'SQLite table',
  async (now) => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-table-'));
    const path = join(directory, 'assay.db');
    return {
      open: () => sqliteTable({ path, now }),
      dispose: () => rm(directory, { recursive: true }),
      address: { kind: 'sqlite', path },
    };
  },
  { isShared: true },
);
